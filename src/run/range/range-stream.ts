import type { Range, StreamDeclaration, Table } from '../../define/index.ts'
import type { Part } from '../../model.ts'
import { estimate, planUnits, unitsOf } from '../../plan/units.ts'
import type { LakeRun } from '../lake-run.ts'
import type { Reach } from '../reach.ts'
import { walkRecords } from './record-range.ts'
import { verifySource } from './verify-source.ts'
import { wantedSlice } from './wanted-slice.ts'

export type RangeStreamRun = LakeRun & {
  readonly reach: Pick<Reach, 'connection'>
  /** Names of the job and of its pipeline. */
  readonly job: string
  readonly pipeline: string
  /** Told how far the source is. */
  readonly atHead: (head: number | null) => void
  /** Told of each commit: its parts and how many coordinates it covers. */
  readonly committed: (parts: readonly Part[], length: number) => void
}

/** Walks what a stream lacks of its range, up to the head. Resolves to true when there was nothing to fetch. */
export async function walkRangeStream<R>(
  { stream, tables: declared, walk }: StreamDeclaration<Range<R>>,
  run: RangeStreamRun,
): Promise<boolean> {
  const { catalog, emit, stop } = run
  const tables = (Object.values(declared) as Table[]).map(({ name }) => name)
  const ahead = run.concurrency + 1
  const source = await walk.source(run.reach.connection(walk.place), { underWay: ahead })
  const head = await source.head(stop)
  run.atHead(head)
  if (head === null) {
    emit({ kind: 'notice', message: source.whyEmpty?.() ?? `There is nothing in ${walk.what} yet.` })
    return true
  }
  const coverage = await catalog.coverage(stream, tables)
  await verifySource(walk, source, [...coverage.values()].flat(), head, stop)
  const plan = planUnits({
    stream,
    wanted: wantedSlice(walk, head),
    unit: walk.unit,
    coverage: new Map([...coverage].map(([table, covered]) => [table, covered.map(({ slice }) => slice)])),
    tables,
  })
  const { units, containers: total } = estimate(plan, source.windowSize())
  if (total === 0) return true
  if (walk.notice !== null) emit({ kind: 'warning', message: walk.notice })
  emit({ kind: 'planned', pipeline: run.job, units, containers: total, head })
  await walkRecords({
    ...run,
    walk,
    source,
    units: unitsOf(plan),
    total,
    ahead,
    commit: async ({ unit, parts, ends, rows }) => {
      const { slice } = unit
      const snapshotId = await catalog.commit({
        runId: run.runId,
        stream,
        tables: unit.tables,
        parts,
        progress: { kind: 'slice', slice, ends },
        basis: null,
      })
      run.committed(parts, slice.to - slice.from)
      emit({ kind: 'committed', pipeline: run.job, slice, snapshotId, rows })
      await run.afterCommit()
    },
  })
  return false
}
