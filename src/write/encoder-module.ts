import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { setTieringBudget, usualTieringBudget } from '../lib/tiering-budget.ts'

/** The part of Node's `WebAssembly` that this module uses. Node's types do not declare it. */
declare const WebAssembly: { readonly Module: new (bytes: Uint8Array) => object }

let compiled: object | undefined

/**
 * The encoder's functions are so large that optimizing one takes as long as running it for dozens of batches. With this budget V8 optimizes
 * only those that do most of the work.
 */
const encoderBudget = 40_000_000

/** The encoder (parquet-wasm), compiled once for all threads of a process. Otherwise each thread would compile it again. */
export function encoderModule(): object {
  compiled ??= compile()
  return compiled
}

function compile(): object {
  const file = createRequire(import.meta.url).resolve('parquet-wasm/esm/parquet_wasm_bg.wasm')
  setTieringBudget(encoderBudget)
  try {
    return new WebAssembly.Module(readFileSync(file))
  } finally {
    setTieringBudget(usualTieringBudget)
  }
}
