import type { RowsOf, Tables } from '../define/index.ts'
import type { ErrorFacts } from '../errors.ts'
import type { ChainContext, Container } from '../model.ts'

/** Which part of which pipeline decodes: both sides know the declarations. */
export type PartName = { readonly pipeline: string; readonly option: string }

export type DecodeRequest = {
  readonly id: number
  readonly part: PartName
  readonly containers: readonly Container[]
  readonly context: ChainContext
}

/** A `DecodeError` in parts, since classes do not pass between threads. */
export type DecodeFailure = {
  readonly message: string
  readonly code: string
  readonly details: ErrorFacts
  readonly hint: string | undefined
}

/** Rows by container, or why there are none. */
export type DecodeAnswer =
  | { readonly id: number; readonly rows: readonly RowsOf<Tables>[] }
  | { readonly id: number; readonly failure: DecodeFailure }
