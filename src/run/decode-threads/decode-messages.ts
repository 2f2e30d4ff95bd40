import type { RowsOf, Tables } from '../../define/index.ts'
import type { ErrorFacts } from '../../errors.ts'

/** Which output of which pipeline is read: both sides know the declarations. */
export type OutputName = { readonly pipeline: string; readonly thread: string }

export type DecodeRequest = {
  readonly id: number
  readonly output: OutputName
  readonly records: readonly unknown[]
  readonly context: unknown
}

/** A `DecodeError` in parts, since classes do not pass between threads. */
export type DecodeFailure = {
  readonly message: string
  readonly code: string
  readonly details: ErrorFacts
  readonly hint: string | undefined
}

/** Rows by record, or why there are none. */
export type DecodeAnswer =
  | { readonly id: number; readonly rows: readonly RowsOf<Tables>[] }
  | { readonly id: number; readonly failure: DecodeFailure }
