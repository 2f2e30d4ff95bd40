import { pipelines } from '../../pipelines/index.ts'
import { day } from '../../pipelines/shared/primary-network.ts'
import { tables as declaredTables } from '../../schemas/index.ts'
import { observations } from '../../schemas/observations.ts'
import type { Catalog, Inventory, InventoryFile, InventoryTable } from '../catalog/catalog.ts'
import type { Table } from '../define/index.ts'
import type { Slice } from '../model.ts'
import { sequences } from '../verify/lake/sequences.ts'
import type { Rules } from './plan-removal.ts'

/** Statistics of this many files are in memory at a time. */
const batchFiles = 200

/** The rules for a removal, from the declarations of tables and pipelines. */
export async function rulesOf(inventory: Inventory, catalog: Pick<Catalog, 'fileStats' | 'status'>): Promise<Rules> {
  const { streams } = await catalog.status()
  const observed = new Set(streams.flatMap(({ stream, observations }) => (observations === null ? [] : [stream])))
  const latest = new Map<number, number>()
  for (const known of inventory.tables) {
    const table = timedTables.find(({ name }) => name === known.name)
    if (table !== undefined)
      for (const [id, second] of await latestSeconds(known, table, catalog)) latest.set(id, second)
  }
  return {
    isUnrepeatable: (table, file) => isUnrepeatable(table) || isSeenOnce(table, file, observed),
    shareRows,
    standsAlone,
    doneBy,
    reachOf: (_, file, slice) => reachOf(file, slice, latest.get(file.id)),
  }
}

/** Whether rows of a table cannot be fetched again: observations of the past, and tables that are no longer declared. */
export function isUnrepeatable(name: string): boolean {
  const table = declaredTables.find((one) => one.name === name)
  return table === undefined || table.history !== 'rows' || table.name === observations.name
}

/** Whether a file holds rows that an observation saw once: their subject may be gone now. */
function isSeenOnce(table: string, { sources }: InventoryFile, observed: ReadonlySet<string>): boolean {
  if (sources.length === 0) return seenOnce.has(table)
  return sources.some(({ stream, slice }) => slice === null && observed.has(stream))
}

const seenOnce: ReadonlySet<string> = new Set(
  pipelines
    .filter(({ walks }) => walks.some((walk) => walk === 'scan' || walk === 'snapshot'))
    .flatMap(({ tables }) => (Object.values(tables) as Table[]).map(({ name }) => name)),
)

/** A key counts as read when the first table of its stream has its row. To fetch rows of the other tables again, that row must be removed, too. */
function doneBy(table: string): readonly string[] {
  return pipelines.flatMap(({ walks, tables }) => {
    const [first, ...others] = (Object.values(tables) as Table[]).map(({ name }) => name)
    return first !== undefined && walks.includes('keyed') && others.includes(table) ? [first] : []
  })
}

function standsAlone(name: string): boolean {
  return sequences.some(({ table }) => table.name === name)
}

/** Whether two streams read the same EVM chain: each log is stored once, with its block or alone, and a stream skips blocks that another has. */
export function shareRows(a: string, b: string): boolean {
  const [left, right] = [a, b].map((stream) => /^([^/]+)\/evm-(?:blocks|logs)\/([^/?]+)/.exec(stream))
  return left != null && right != null && left[1] === right[1] && left[2] === right[2]
}

/** Tables that are read by time: a run reads up to a day beyond the covered time, and does not store these rows again. */
const timedTables: readonly Table[] = [
  ...new Set(
    pipelines
      .filter(({ walks }) => walks.includes('timeWindow'))
      .flatMap((pipeline) => Object.values(pipeline.tables) as Table[]),
  ),
]

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
