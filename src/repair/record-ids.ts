import { idText } from '../../codec/cb58.ts'
import type { Inventory, InventoryFile, StreamFacts } from '../catalog/catalog.ts'
import type { Table } from '../define/index.ts'
import { parquetQuery } from '../define/index.ts'
import { sqlName, sqlText } from '../lib/text/sql-quote.ts'
import type { Engine } from '../lookup/engine.ts'
import type { Store } from '../store/store.ts'
import { chainNames, type Sequence, sequenceOf } from '../verify/lake/sequences.ts'

/** The ids of a record of a stream in the rows of the lake; null where the rows have none. */
export type RecordIds = {
  readonly id: string | null
  readonly parentId: string | null
  readonly blockId: string | null
  readonly blockParentId: string | null
}

/** The column with the id of a record, by table. Raw containers are not needed, since their blocks are in a table, too. */
const idColumns: Readonly<Record<string, string>> = {
  p_blocks: 'container_id',
  x_blocks: 'container_id',
  c_blocks: 'container_id',
  x_transactions: 'tx_id',
  x_vertices: 'vertex_id',
  evm_blocks: 'block_hash',
}

type Options = {
  readonly inventory: Inventory
  /** Files that may be read. */
  readonly isSound: (file: InventoryFile) => boolean
  readonly engine: Engine
  readonly store: Store
  readonly bounds: (tableId: number, columnId: number) => Promise<ReadonlyMap<number, { min: number; max: number }>>
}

/** Reads the ids of the records at some coordinates from the rows of the lake; none for streams without such rows. */
export async function readRecordIds(
  stream: string,
  coordinates: readonly number[],
  options: Options,
): Promise<Map<number, RecordIds>> {
  const found = new Map<number, RecordIds>()
  const origin = options.inventory.streams.get(stream)
  const sequence = Object.keys(idColumns).flatMap((table) => (origin && sequenceOf({ table, origin })) ?? [])[0]
  if (origin === undefined || sequence === undefined || coordinates.length === 0) return found
  const { table } = sequence
  const places = [...new Set(coordinates)]
  const files = await filesWith(sequence, places, origin.network, options)
  if (files.length === 0) return found
  const query = rowsQuery(sequence, origin, places, files, options)
  const rows = await options.engine.within(
    files.map((file) => file.path),
    async (connection) => (await connection.runAndReadAll(query)).getRowObjectsJson(),
  )
  for (const row of rows) found.set(Number(row['place']), idsOf(table, row))
  return found
}

/** The undamaged files of the network that may hold a row at one of the coordinates. */
async function filesWith(
  { table, place }: Sequence,
  places: readonly number[],
  network: string,
  { inventory, isSound, bounds }: Options,
): Promise<readonly InventoryFile[]> {
  const known = inventory.tables.find(({ name }) => name === table.name)
  const column = known?.columns.find(({ name, parentId }) => name === place && parentId === null)
  if (known === undefined || column === undefined) return []
  const limits = await bounds(known.id, column.id)
  return known.files.filter((file) => {
    const limit = limits.get(file.id)
    const holds = limit === undefined || places.some((at) => limit.min <= at && at <= limit.max)
    return holds && (file.network === null || file.network === network) && isSound(file)
  })
}

function rowsQuery(
  { table, place, chain, link }: Sequence,
  origin: StreamFacts,
  places: readonly number[],
  files: readonly InventoryFile[],
  { inventory, store }: Options,
): string {
  const names = chainNames(inventory, origin)
  const conditions = [
    `network = ${sqlText(origin.network)}`,
    ...chain.map(({ column, value }) => `${sqlName(column)}::VARCHAR = ${sqlText(names[value])}`),
    `${sqlName(place)} IN (${places.join(', ')})`,
  ]
  const has = (column: string): string => (column in table.columns ? sqlName(column) : 'NULL')
  const rows = files.reduce((sum, file) => sum + file.rows, 0)
  const paths = files.map((file) => store.url(file.path))
  return `SELECT ${sqlName(place)} AS place, ${sqlName(idColumns[table.name]!)} AS id, ${has('wrapper')} AS wrapper,
      ${has('wrapper_parent_id')} AS wrapper_parent, ${link === undefined ? 'NULL' : sqlName(link.id)} AS block_id,
      ${link === undefined ? 'NULL' : sqlName(link.parent)} AS block_parent
    FROM ${parquetQuery(table, paths, rows)} WHERE ${conditions.join(' AND ')}`
}

/** The ids of a row. The parent of a bare block is the parent of its container, written as a container id. */
function idsOf(table: Table, row: Readonly<Record<string, unknown>>): RecordIds {
  const text = (name: string) => (row[name] === null || row[name] === undefined ? null : String(row[name]))
  const [id, blockId, blockParentId] = [text('id'), text('block_id'), text('block_parent')]
  if (table.name === 'evm_blocks')
    return { id, parentId: Number(row['place']) === 0 ? null : blockParentId, blockId: null, blockParentId: null }
  const bare = text('wrapper') === 'none' ? asContainerId(blockParentId) : null
  return { id, parentId: id === null ? null : (text('wrapper_parent') ?? bare), blockId, blockParentId }
}

function asContainerId(parent: string | null): string | null {
  return parent?.startsWith('0x') === true ? idText(Buffer.from(parent.slice(2), 'hex')) : parent
}
