import type { LakeStatus } from '../catalog/catalog.ts'
import { subtract } from '../plan/intervals.ts'

export type Gap = { readonly stream: string; readonly table: string; readonly from: number; readonly to: number }

/** What each table lacks between 0 and the last container that any table of its stream covers. */
export function gapsOf(status: LakeStatus): Gap[] {
  return status.streams.flatMap(({ stream, tables }) => {
    const end = Math.max(0, ...tables.flatMap(({ slices }) => slices.map(({ to }) => to)))
    return tables.flatMap(({ table, slices }) =>
      subtract([{ from: 0, to: end }], slices).map((gap) => ({ stream, table, ...gap })),
    )
  })
}
