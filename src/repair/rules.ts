import { day } from '../../pipelines/shared/primary-network.ts'
import { observations } from '../../schemas/observations.ts'
import type { Catalog, Inventory, InventoryFile, InventoryTable } from '../catalog/catalog.ts'
import type { Table } from '../define/index.ts'
import type { Slice } from '../model.ts'
import { sequences } from '../verify/lake/sequences.ts'
import type { Rules } from './plan-removal.ts'

/** Statistics of this many files are in memory at a time. */
const batchFiles = 200

/** The rules for a removal, from the declarations of tables and streams in the lake. */
export async function rulesOf(inventory: Inventory, catalog: Pick<Catalog, 'fileStats' | 'status'>): Promise<Rules> {
  const { streams } = await catalog.status()
  const observed = new Set(streams.flatMap(({ stream, observations }) => (observations === null ? [] : [stream])))
  const timedTables = tablesOf(inventory, ['timeWindow'])
  const seenOnce = tablesOf(inventory, ['scan', 'snapshot'])
  const unrepeatable = new Set(inventory.declared.filter(isUnrepeatable).map(({ name }) => name))
  const latest = new Map<number, number>()
  for (const known of inventory.tables) {
    const table = inventory.declared.find(({ name }) => name === known.name)
    if (table !== undefined && timedTables.has(table.name))
      for (const [id, second] of await latestSeconds(known, table, catalog)) latest.set(id, second)
  }
  return {
    isUnrepeatable: (table, { sources }) =>
      unrepeatable.has(table) ||
      // Rows that an observation saw once: their subject may be gone now.
      (sources.length === 0
        ? seenOnce.has(table)
        : sources.some(({ stream, slice }) => slice === null && observed.has(stream))),
    shareRows: shareRowsIn(inventory.streams),
    standsAlone,
    doneBy: (table) => doneBy(inventory, table),
    reachOf: (_, file, slice) => reachOf(file, slice, latest.get(file.id)),
  }
}

/** Whether rows of a table cannot be fetched again: observations of the past. */
export function isUnrepeatable({ name, history }: Table): boolean {
  return history !== 'rows' || name === observations.name
}

/** Names of the tables that streams with these walks fill. Some are read by time: a run reads up to a day beyond the covered time. */
function tablesOf({ streams }: Inventory, walks: readonly string[]): ReadonlySet<string> {
  return new Set([...streams.values()].flatMap(({ walk, tables }) => (walks.includes(walk) ? tables : [])))
}

/** A key counts as read when the first table of its stream has its row. To fetch rows of the other tables again, that row must be removed, too. */
function doneBy({ streams }: Inventory, table: string): readonly string[] {
  const first = [...streams.values()].flatMap(({ walk, tables: [first, ...others] }) =>
    walk === 'keyed' && first !== undefined && others.includes(table) ? [first] : [],
  )
  return [...new Set(first)]
}

function standsAlone(name: string): boolean {
  return sequences.some(({ table }) => table.name === name)
}

/** Whether two streams may hold the same rows: each row is stored once, by one of them. */
export function shareRowsIn(streams: Inventory['streams']): Rules['shareRows'] {
  return (a, b) => {
    const [left, right] = [streams.get(a), streams.get(b)]
    return left !== undefined && left.network === right?.network && left.overlapping.includes(right.path)
  }
}

/** The second after the last row of each file of a table that is read by time. */
async function latestSeconds(
  { files, columns }: InventoryTable,
  { partitionBy }: Table,
  catalog: Pick<Catalog, 'fileStats'>,
): Promise<Map<number, number>> {
  const key = partitionBy.find(({ transform }) => transform !== 'identity')
  const column = columns.find(({ name, parentId }) => name === key?.column && parentId === null)
  const ids = files.filter(({ sources }) => sources.some(({ slice }) => slice !== null)).map(({ id }) => id)
  const found = new Map<number, number>()
  if (column === undefined) return found
  for (let from = 0; from < ids.length; from += batchFiles)
    for (const [id, stats] of await catalog.fileStats(ids.slice(from, from + batchFiles))) {
      const max = stats.find(({ columnId }) => columnId === column.id)?.max ?? null
      const ms = max === null ? Number.NaN : Date.parse(max.replace(' ', 'T').replace(/\+00$/, 'Z'))
      if (!Number.isNaN(ms)) found.set(id, Math.floor(ms / 1000) + 1)
    }
  return found
}

function reachOf({ sources }: InventoryFile, slice: Slice, latest: number | undefined): Slice {
  // The later slice of a file was read after the time between its slices.
  const isLast = !sources.some((other) => other.slice !== null && other.slice.from >= slice.to)
  if (latest === undefined || !isLast) return slice
  return { from: slice.from, to: Math.max(slice.to, Math.min(latest, slice.to + day)) }
}
