import type { RowsOf, Table, Tables } from '../../../src/define/index.ts'
import { keyText } from '../../../src/lookup/row-identity.ts'
import type { Progress, Slice, Stretch } from '../../../src/model.ts'
import { normalise } from '../../../src/plan/intervals.ts'
import type { Run } from '../../../src/run/rows/lake-run.ts'
import type { ServiceClient } from '../../../src/sources/service-client.ts'

/**
 * A lake in memory for walks over lists, for tests that would be slow with a real one. The test file replaces the modules that write and
 * commit rows with the functions of this file.
 */
export type MemoryLake = {
  /** Rows by key. */
  readonly rows: Map<string, object>
  stretches: readonly Stretch[]
  covered: readonly Slice[]
  accepted: readonly Slice[]
  commits: number
}

type MemoryRun = { readonly lake: MemoryLake }
type MemoryUnit = { readonly added: Map<string, object> }

export function newMemoryLake(): MemoryLake {
  return { rows: new Map(), stretches: [], covered: [], accepted: [], commits: 0 }
}

export function memoryRun(lake: MemoryLake, client: ServiceClient, stop = new AbortController().signal): Run {
  const run = {
    lake,
    client,
    stop,
    pipeline: 'items',
    unitPages: 500,
    commitEveryMs: 60_000,
    page: () => undefined,
    emit: () => undefined,
    progress: () => undefined,
    written: () => undefined,
    lookup: {
      findRows: async ({ table, rows }: { readonly table: Table; readonly rows: readonly object[] }) =>
        rows.flatMap((row, position) =>
          lake.rows.has(keyText(table)(row)) ? [{ position, isKnown: true, observedAt: null }] : [],
        ),
    },
    catalog: {
      tableFiles: async () => ({ snapshotId: 0, files: [] }),
      stretches: async () => lake.stretches,
      coverage: async (_: unknown, [table]: readonly string[]) =>
        new Map([[table, lake.covered.map((slice) => ({ slice, ends: null, blockEnds: null, bytes: 0 }))]]),
      acceptedGaps: async () => lake.accepted.map((slice) => ({ table: 'rest_item_versions', slice })),
    },
  }
  return run as unknown as Run
}

/** `createListBatch` of such a lake. */
export function memoryBatch(run: Run, tables: Tables) {
  const { lake } = run as unknown as MemoryRun
  const added = new Map<string, object>()
  const keyed = (rows: RowsOf<Tables>) =>
    (Object.entries(tables) as [string, Table][]).flatMap(([name, table]) =>
      (rows[name] as readonly object[]).map((row) => [keyText(table)(row), row] as const),
    )
  return {
    added,
    add(rows: RowsOf<Tables>): void {
      for (const [key, row] of keyed(rows)) if (!lake.rows.has(key)) added.set(key, row)
    },
    relieve: async () => undefined,
    compare: async () => undefined,
    holdsAll: async (rows: RowsOf<Tables>) => keyed(rows).every(([key]) => lake.rows.has(key) || added.has(key)),
    abort: async () => undefined,
    rows: () => added.size,
  }
}

/** The catalog returns the facts of a stretch in an order of its own. */
const turned = <S extends object>(stretch: S): S =>
  Object.fromEntries(Object.entries(structuredClone(stretch)).reverse()) as S

/** `commitRows` of such a lake. */
export async function memoryCommit(
  run: Run,
  _: unknown,
  unit: MemoryUnit,
  streams: readonly Progress[] = [],
): Promise<void> {
  const { lake } = run as unknown as MemoryRun
  for (const [key, row] of unit.added) lake.rows.set(key, row)
  for (const progress of streams) {
    if (progress.kind === 'stretches') lake.stretches = progress.stretches.map(turned)
    if (progress.kind === 'slice') lake.covered = normalise([...lake.covered, progress.slice])
  }
  lake.commits++
}
