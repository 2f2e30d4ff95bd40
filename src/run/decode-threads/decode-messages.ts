import type { RowsOf, Tables } from '../../define/index.ts'
import type { PipelineName } from '../../pipeline-modules/find-pipeline.ts'
import type { ErrorParts } from '../job/error-parts.ts'

/** Names the output of a pipeline to decode. Both threads know the declarations. */
export type OutputName = PipelineName & { readonly thread: string }

export type DecodeRequest = {
  readonly id: number
  readonly output: OutputName
  readonly records: readonly unknown[]
  readonly context: unknown
}

/** The rows of each record, or the error that prevented decoding. */
export type DecodeAnswer =
  | { readonly id: number; readonly rows: readonly RowsOf<Tables>[] }
  | { readonly id: number; readonly failure: ErrorParts }
