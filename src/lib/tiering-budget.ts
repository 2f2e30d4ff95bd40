import { setFlagsFromString } from 'node:v8'

/** How much of a function of WebAssembly runs, in bytes of code about, before V8 compiles it again, optimizing: what is usual. */
export const usualTieringBudget = 1_800_000

/** For modules that are made from now on, in all threads: a module keeps what was set when it was made. */
export function setTieringBudget(budget: number): void {
  setFlagsFromString(`--wasm-tiering-budget=${budget}`)
}
