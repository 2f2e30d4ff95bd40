import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { setTieringBudget, usualTieringBudget } from '../lib/tiering-budget.ts'

/** What Node has of it, which its types do not name. */
declare const WebAssembly: { readonly Module: new (bytes: Uint8Array) => object }

let compiled: object | undefined

/**
 * Functions of the encoder are so large that to optimize one takes as long as it runs for dozens of batches: only those are that do most
 * of the work.
 */
const encoderBudget = 40_000_000

/** The encoder (parquet-wasm), compiled once for all threads of a process: each on its own would do it again. */
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
