import type { Range, RangeOutput, RowsOf, Table, Tables, ThreadedOutput } from '../../define/index.ts'
import type { Unit } from '../../model.ts'
import type { PipelineName } from '../../pipeline-modules/find-pipeline.ts'
import type { DecodeThreads } from '../decode-threads/decode-threads.ts'

export type Output = RangeOutput | ThreadedOutput

/** Whether a unit writes any of the tables of an output. */
export function isWanted(output: Output, unit: Unit): boolean {
  return (Object.values(output.tables) as Table[]).some(({ name }) => unit.tables.includes(name))
}

/** The rows of a window that threads have decoded, by record. */
export type Prepared = ReadonlyMap<Output, readonly RowsOf<Tables>[]>

/** Decodes the threaded outputs of a window in threads. */
export async function readInThreads(
  { pipeline, module, decodeThreads }: PipelineName & { readonly decodeThreads: DecodeThreads },
  { outputs, context }: Pick<Range, 'outputs' | 'context'>,
  unit: Unit,
  records: readonly unknown[],
): Promise<Prepared> {
  const prepared = new Map<Output, readonly RowsOf<Tables>[]>()
  for (const output of outputs)
    if ('thread' in output && isWanted(output, unit))
      prepared.set(output, await decodeThreads.decode({ pipeline, module, thread: output.thread }, records, context))
  return prepared
}
