import type { LakeStatus } from '../../catalog/catalog.ts'
import type { Slice } from '../../model.ts'
import { subtract } from '../../plan/intervals.ts'

export type Gap = Slice & {
  readonly stream: string
  readonly table: string
  /** What `from` and `to` count. */
  readonly unit: string
}

/**
 * The gaps of each table, up to the last coordinate that any table of its stream covers or covered before a repair. Containers are expected
 * from the first one. Other ranges are expected from their first covered coordinate, because their jobs choose the beginning.
 */
export function gapsOf(status: LakeStatus): Gap[] {
  return status.streams.flatMap(({ stream, unit, tables }) => {
    const slices = tables.flatMap((table) => [...table.slices, ...table.gaps])
    const from = unit === 'containers' ? 0 : Math.min(...slices.map((slice) => slice.from))
    const to = Math.max(0, ...slices.map((slice) => slice.to))
    return tables.flatMap((table) =>
      subtract([{ from, to }], table.slices).map((gap) => ({ stream, table: table.table, unit, ...gap })),
    )
  })
}

/** A list that a run reads again because a repair removed rows of it. */
export type AwaitedList = { readonly stream: string; readonly table: string }

export function awaitedLists({ streams }: LakeStatus): AwaitedList[] {
  return streams.flatMap(({ stream, tables }) =>
    tables.filter(({ isAwaited }) => isAwaited === true).map(({ table }) => ({ stream, table })),
  )
}
