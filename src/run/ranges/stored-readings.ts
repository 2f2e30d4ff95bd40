import type { StoredRowsQuery, WindowSource } from '../../define/index.ts'
import type { Slice } from '../../model.ts'
import { intersect, subtract } from '../../plan/intervals.ts'
import type { RangeMember, RangePlan, RangeReading } from '../units/range-plan.ts'
import type { RangeRun } from '../units/range-run.ts'

/** The slices whose records the lake holds as rows of another table, and the source that reads them there. */
type Stored = { readonly slices: readonly Slice[]; readonly source: WindowSource<any> }

type StoredOf = (member: RangeMember) => Stored | undefined

/** The readings of plans in steps: those with records that the lake holds read the lake, the others their source. */
export async function storedReadings(
  plans: readonly RangePlan[],
  run: Pick<RangeRun, 'catalog' | 'lookup'>,
): Promise<Iterable<RangeReading>> {
  const storedOf = await openStored(plans, run)
  return (function* () {
    for (const plan of plans) for (const reading of plan.readings()) yield* stepsOf(reading, storedOf(reading.member))
  })()
}

/** Opens what the lake holds of the records of each member, all at one snapshot. */
async function openStored(plans: readonly RangePlan[], run: Pick<RangeRun, 'catalog' | 'lookup'>): Promise<StoredOf> {
  const found = new Map<RangeMember, Stored>()
  const tables = new Map<string, ReturnType<typeof openTable>>()
  for (const { member } of plans) {
    const { stored } = member.walk
    if (stored === undefined) continue
    const opened = tables.get(stored.table.name) ?? openTable(stored, run)
    tables.set(stored.table.name, opened)
    const { coverage, rows } = await opened
    const slices = coverage.filter(stored.isHeld).map(({ slice }) => slice)
    if (slices.length > 0) found.set(member, { slices, source: await stored.source(rows) })
  }
  return (member) => found.get(member)
}

async function openTable(
  { table, column }: Pick<NonNullable<RangeMember['walk']['stored']>, 'table' | 'column'>,
  { catalog, lookup }: Pick<RangeRun, 'catalog' | 'lookup'>,
) {
  const { coverage, files } = await catalog.coveredFiles(table.name, column)
  const rows = (query: StoredRowsQuery): AsyncIterable<object[]> => {
    const within = files.filter(({ bounds }) => bounds === null || (bounds.min < query.to && bounds.max >= query.from))
    return lookup.selectedRows({ table, files: within.map(({ path }) => path), column, query })
  }
  return { coverage, rows }
}

function* stepsOf(reading: RangeReading, stored: Stored | undefined): Generator<RangeReading> {
  if (stored === undefined) return yield reading
  const held = intersect([reading.read], stored.slices)
  const others = subtract([reading.read], held)
  const steps = [
    ...held.map((read) => ({ ...reading, read, source: stored.source, partOf: reading })),
    ...others.map((read) => ({ ...reading, read, partOf: reading })),
  ]
  yield* steps.sort((a, b) => a.read.from - b.read.from)
}
