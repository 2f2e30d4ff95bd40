import type { Pipeline, PipelinePart, RowsOf, Table, Tables, ThreadedPart } from '../define/index.ts'
import type { ChainContext, Container, Unit } from '../model.ts'
import type { DecodeThreads } from './decode-threads.ts'

export type Part = PipelinePart | ThreadedPart

/** The parts of a pipeline that a run with these options fills. */
export function partsOf(pipeline: Pipeline, options: readonly string[]): Part[] {
  return [pipeline, ...options.map((option) => pipeline.options[option]).filter((part) => part !== undefined)]
}

export function tableNames(part: Part): string[] {
  return (Object.values(part.tables) as Table[]).map((table) => table.name)
}

/** Whether a unit writes any of the tables of a part. */
export function isWanted(part: Part, unit: Unit): boolean {
  return tableNames(part).some((name) => unit.tables.includes(name))
}

/** What threads have decoded of a window: rows by container. */
export type Prepared = ReadonlyMap<Part, readonly RowsOf<Tables>[]>

/** Has threads decode what is theirs of the windows of a walk. */
export function windowPreparer(
  pipeline: Pipeline,
  options: readonly string[],
  threads: DecodeThreads,
  context: ChainContext,
): (unit: Unit, containers: readonly Container[]) => Promise<Prepared> {
  return async (unit, containers) => {
    const prepared = new Map<Part, readonly RowsOf<Tables>[]>()
    for (const option of options) {
      const part = pipeline.options[option]
      if (part === undefined || 'decode' in part || !isWanted(part, unit)) continue
      prepared.set(part, await threads.decode({ pipeline: pipeline.name, option }, containers, context))
    }
    return prepared
  }
}
