import type { Catalog, CoveredFiles } from '../../catalog/catalog.ts'
import type { ReadStoredRows, StoredRecords, WindowSource } from '../../define/index.ts'
import type { Lookup } from '../../lookup/lookup.ts'
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
async function openStored(
  plans: readonly RangePlan[],
  { catalog, lookup }: Pick<RangeRun, 'catalog' | 'lookup'>,
): Promise<StoredOf> {
  const found = new Map<RangeMember, Stored>()
  const filesOf = coveredFilesOf(catalog)
  const readers = new Map<CoveredFiles, ReadStoredRows>()
  for (const { member } of plans) {
    const { stored } = member.walk
    if (stored === undefined) continue
    const known = await filesOf(stored)
    const slices = heldSlices(stored, known)
    const rows = readers.get(known) ?? readerOf(stored, known, lookup)
    readers.set(known, rows)
    if (slices.length > 0) found.set(member, { slices, source: await stored.source(rows) })
  }
  return (member) => found.get(member)
}

/** Returns the slices whose records the lake holds, so that a run requests nothing for them. */
export function heldInLake(
  catalog: Pick<Catalog, 'coveredFiles'> | null,
): (member: Pick<RangeMember, 'walk'>) => Promise<readonly Slice[]> {
  const filesOf = catalog === null ? null : coveredFilesOf(catalog)
  return async ({ walk: { stored } }) =>
    stored === undefined || filesOf === null ? [] : heldSlices(stored, await filesOf(stored))
}

/** Reads the files of each table once. */
function coveredFilesOf(catalog: Pick<Catalog, 'coveredFiles'>): (stored: StoredRecords<any>) => Promise<CoveredFiles> {
  const known = new Map<string, Promise<CoveredFiles>>()
  return ({ table, column }) => {
    const files = known.get(table.name) ?? catalog.coveredFiles(table.name, column)
    known.set(table.name, files)
    return files
  }
}

function heldSlices({ isHeld }: StoredRecords<any>, { coverage }: CoveredFiles): Slice[] {
  return coverage.filter(isHeld).map(({ slice }) => slice)
}

function readerOf(
  { table, column }: StoredRecords<any>,
  { files }: CoveredFiles,
  lookup: Pick<Lookup, 'selectedRows'>,
): ReadStoredRows {
  return (query) => {
    const within = files.filter(({ bounds }) => bounds === null || (bounds.min < query.to && bounds.max >= query.from))
    return lookup.selectedRows({ table, files: within.map(({ path }) => path), column, query })
  }
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
