import { setFlagsFromString } from 'node:v8'

/** V8 compiles a WebAssembly function again, with optimizations, after about this many bytes of its code have run. This is V8's default. */
export const usualTieringBudget = 1_800_000

/** Sets the budget for modules that any thread compiles from now on. A module keeps the budget of the time when it was compiled. */
export function setTieringBudget(budget: number): void {
  setFlagsFromString(`--wasm-tiering-budget=${budget}`)
}
