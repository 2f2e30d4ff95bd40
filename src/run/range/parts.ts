import type { Range, RangePart, RowsOf, Table, Tables, ThreadedPart } from '../../define/index.ts'
import type { Unit } from '../../model.ts'
import type { DecodeThreads } from './decode-threads.ts'

export type Part = RangePart | ThreadedPart

/** Whether a unit writes any of the tables of a part. */
export function isWanted(part: Part, unit: Unit): boolean {
  return (Object.values(part.tables) as Table[]).some(({ name }) => unit.tables.includes(name))
}

/** What threads have read of a window: rows by record. */
export type Prepared = ReadonlyMap<Part, readonly RowsOf<Tables>[]>

/** Has threads read what is theirs of the windows of a walk. */
export function windowPreparer(
  pipeline: string,
  { parts, context }: Pick<Range, 'parts' | 'context'>,
  threads: DecodeThreads,
): (unit: Unit, records: readonly unknown[]) => Promise<Prepared> {
  return async (unit, records) => {
    const prepared = new Map<Part, readonly RowsOf<Tables>[]>()
    for (const part of parts)
      if ('thread' in part && isWanted(part, unit))
        prepared.set(part, await threads.decode({ pipeline, thread: part.thread }, records, context))
    return prepared
  }
}
