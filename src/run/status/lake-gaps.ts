import type { LakeStatus, ListHole, TableStatus } from '../../catalog/catalog.ts'
import type { Slice } from '../../model.ts'
import { subtract } from '../../plan/intervals.ts'

export type Gap = Slice & {
  readonly stream: string
  readonly table: string
  /** What `from` and `to` count. */
  readonly unit: string
}

/**
 * The gaps of each table, as the next run of the jobs would fill them: from the first coordinate that jobs asked for, up to the last coordinate
 * that any table of its stream covers or covered before a repair. Ranges other than those of a node's index are expected from the first covered
 * coordinate of the stream, because sources may begin later. A table that the last run did not fill is expected up to its own end. Gaps that
 * the user accepted do not count.
 */
export function gapsOf(status: LakeStatus): Gap[] {
  return status.streams.flatMap(({ stream, unit, tables }) => {
    const slices = tables.flatMap(extentOf)
    const least = isOfNode(unit) ? 0 : Math.min(...slices.map((slice) => slice.from))
    const most = Math.max(0, ...slices.map((slice) => slice.to))
    return tables.flatMap((table) => {
      const { begins = 0, isLeft = false } = table
      const to = isLeft ? Math.max(0, ...extentOf(table).map((slice) => slice.to)) : most
      const wanted = { from: Math.max(least, begins), to }
      return subtract([wanted], [...table.slices, ...(table.accepted ?? [])]).map((gap) => ({
        stream,
        table: table.table,
        unit,
        ...gap,
      }))
    })
  })
}

/** Whether a unit counts what the index of a node holds, from the first one on. */
export function isOfNode(unit: string): boolean {
  return unit === 'heights' || unit === 'containers'
}

function extentOf({ slices, gaps }: TableStatus): readonly Slice[] {
  return [...slices, ...gaps]
}

/** A list that a run reads again because a repair removed rows of it. */
export type AwaitedList = { readonly stream: string; readonly table: string }

export function awaitedLists({ streams }: LakeStatus): AwaitedList[] {
  return streams.flatMap(({ stream, tables }) =>
    tables.filter(({ isAwaited }) => isAwaited === true).map(({ table }) => ({ stream, table })),
  )
}

/** Gaps that the user accepted, as far as they are still missing. */
export function acceptedGapsOf({ streams }: LakeStatus): Gap[] {
  return streams.flatMap(({ stream, unit, tables }) =>
    tables.flatMap(({ table, accepted = [], slices }) =>
      subtract(accepted, slices).map((gap) => ({ stream, table, unit, ...gap })),
    ),
  )
}

/** A list that ended before the rows that were known, with a table of it. */
export type UnreadList = ListHole & { readonly stream: string; readonly table: string }

export function unreadLists({ streams }: LakeStatus): UnreadList[] {
  return streams.flatMap(({ stream, tables, stretches }) =>
    (stretches?.holes ?? []).flatMap((hole) => tables.map(({ table }) => ({ stream, table, ...hole }))),
  )
}
