import type { CoveredSlice } from '../../catalog/catalog.ts'
import type { RangeSource, Tables } from '../../define/index.ts'
import { keyText } from '../../lookup/key-text.ts'
import type { SliceEnds } from '../../model.ts'
import { visibleFiles } from '../rows/visible-files.ts'
import type { RangeMember } from '../units/range-plan.ts'
import type { RangeRun } from '../units/range-run.ts'

type Coverage = ReadonlyMap<string, readonly CoveredSlice[]>

/**
 * Adds the ids of the blocks at the ends of slices to a coverage without them, from the rows of the table. Only for a source without ids of
 * its own records, which can be compared by block ids only.
 */
export async function withBlockEnds<R>(
  { tables, walk, source }: Pick<RangeMember<R>, 'tables' | 'walk'> & { readonly source: Pick<RangeSource<R>, 'link'> },
  coverage: Coverage,
  run: Pick<RangeRun, 'catalog' | 'lookup'>,
): Promise<Coverage> {
  const { linkOf, linkRow } = walk
  const table = linkRow === undefined ? undefined : (tables as Tables)[linkRow.name]
  if (source.link !== undefined || linkOf === null || linkRow === undefined || table === undefined) return coverage
  const incomplete = (coverage.get(table.name) ?? []).filter(({ blockEnds }) => !isComplete(blockEnds))
  const places = new Set(incomplete.flatMap(({ slice }) => [slice.from, slice.to - 1]))
  if (places.size === 0) return coverage
  const keyOf = keyText(table)
  const keys = [...places].map((at) => keyOf(linkRow.key(at)))
  const { files: visible } = await visibleFiles(run, table)
  const files = visible.map(({ path }) => path)
  const rows = new Map((await run.lookup.keyedRows({ table, files, keys })).map((row) => [keyOf(row), row]))
  const linkAt = (at: number) => {
    const row = rows.get(keyOf(linkRow.key(at)))
    return row === undefined ? null : linkOf({ [linkRow.name]: [row] })
  }
  const completed = (covered: CoveredSlice): CoveredSlice => {
    const [first, last] = [linkAt(covered.slice.from), linkAt(covered.slice.to - 1)]
    const found = { firstId: first?.id ?? null, firstParentId: first?.parentId ?? null, lastId: last?.id ?? null }
    return isComplete(covered.blockEnds) ? covered : { ...covered, blockEnds: found }
  }
  return new Map([...coverage].map(([name, slices]) => [name, name === table.name ? slices.map(completed) : slices]))
}

function isComplete(ends: SliceEnds | null): boolean {
  return ends !== null && ends.firstId !== null && ends.lastId !== null
}
