import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** What Node has of it, which its types do not name. */
declare const WebAssembly: { readonly Module: new (bytes: Uint8Array) => object }

let compiled: object | undefined

/** The encoder (parquet-wasm), compiled once for all threads of a process: each on its own would do it again. */
export function encoderModule(): object {
  const file = createRequire(import.meta.url).resolve('parquet-wasm/esm/parquet_wasm_bg.wasm')
  compiled ??= new WebAssembly.Module(readFileSync(file))
  return compiled
}
