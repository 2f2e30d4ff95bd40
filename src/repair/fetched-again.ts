import type { Inventory } from '../catalog/catalog.ts'
import type { Slice } from '../model.ts'
import { countOf, intersect } from '../plan/intervals.ts'
import type { RemovalPlan } from './plan-removal.ts'

/** What the next run fetches again of a stream, for tables that lose the same slices. */
export type FetchedAgain = {
  readonly stream: string
  /** What the slices count. */
  readonly unit: string
  readonly tables: readonly string[]
  /** Without overlaps. */
  readonly slices: readonly Slice[]
  /** How much the stream covers before the removal. */
  readonly covered: number
}

/**
 * The coverage that a plan takes away. The cuts of a plan overlap, because a removed file cuts all slices that it holds; here each
 * coordinate of a table is named once.
 */
export function fetchedAgain({ coverage, streams }: Inventory, { cuts }: RemovalPlan): FetchedAgain[] {
  const groups = new Map<string, FetchedAgain & { readonly tables: string[] }>()
  const tables = new Map(cuts.map(({ stream, table }) => [`${stream} ${table}`, { stream, table }]))
  for (const { stream, table } of tables.values()) {
    const isOwn = (one: { readonly stream: string; readonly table: string }) =>
      one.stream === stream && one.table === table
    const own = coverage.filter(isOwn).map(({ slice }) => slice)
    const slices = intersect(
      own,
      cuts.filter(isOwn).map(({ slice }) => slice),
    )
    if (slices.length === 0) continue
    const covered = countOf(own)
    const id = JSON.stringify([stream, covered, slices])
    const group = groups.get(id) ?? {
      stream,
      unit: streams.get(stream)?.unit ?? 'records',
      tables: [],
      slices,
      covered,
    }
    groups.set(id, group)
    group.tables.push(table)
  }
  return [...groups.values()].sort((a, b) => (a.stream < b.stream ? -1 : a.stream > b.stream ? 1 : 0))
}
