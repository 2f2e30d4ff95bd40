import type { RowsOf, Tables } from '../../define/index.ts'
import type { ErrorFacts } from '../../errors.ts'
import type { PipelineName } from '../../pipeline-modules/find-pipeline.ts'

/** Names the output of a pipeline to decode. Both threads know the declarations. */
export type OutputName = PipelineName & { readonly thread: string }

export type DecodeRequest = {
  readonly id: number
  readonly output: OutputName
  readonly records: readonly unknown[]
  readonly context: unknown
}

/** A `DecodeError` as plain data, because class instances cannot be sent between threads. */
export type DecodeFailure = {
  readonly message: string
  readonly code: string
  readonly details: ErrorFacts
  readonly hint: string | undefined
}

/** The rows of each record, or the error that prevented decoding. */
export type DecodeAnswer =
  | { readonly id: number; readonly rows: readonly RowsOf<Tables>[] }
  | { readonly id: number; readonly failure: DecodeFailure }
