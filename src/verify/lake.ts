import { evmStateDiffsPipeline } from '../../pipelines/evm-state-diffs.ts'
import { evmTracesPipeline } from '../../pipelines/evm-traces.ts'
import type { Catalog, CoverageRow, FileSource, Inventory, InventoryFile, StreamFacts } from '../catalog/catalog.ts'
import { withBuiltIn } from '../declared/lake-tables.ts'
import { type Columns, emptyQuery, parquetQuery, type Table } from '../define/index.ts'
import { interruptAt, openDuckDb } from '../lib/duckdb.ts'
import { freeMemory } from '../lib/memory.ts'
import { sqlName, sqlText } from '../lib/text.ts'
import { tableRows } from '../lookup/engine.ts'
import { pathId, type Slice } from '../model.ts'
import { evmChainId } from '../sources/known-networks.ts'
import type { Finding, FindingKind, Remark, Unverifiable } from './report.ts'

/** A row of a table or of an answer. BIGINT and DECIMAL values of answers are strings of digits, because they may exceed 2^53. */
export type Row = Readonly<Record<string, any>>

/** An in-memory DuckDB that spills to a folder, which it creates when memory is short. */
export type CheckEngine = Awaited<ReturnType<typeof openEngine>>

/** The memory limit of DuckDB. The whole process then stays below 512 MiB (450 MiB for 2 million EVM blocks). */
const memory = '160MB'

/** Freeing memory costs some milliseconds, so not every query does it. */
const freeEachMs = 1000

export async function openEngine(stop: AbortSignal, spill: string) {
  const { instance, connection, close } = await openDuckDb(':memory:', {
    threads: '2',
    memory_limit: memory,
    temp_directory: spill,
    preserve_insertion_order: 'false',
    autoload_known_extensions: 'false',
  })
  await connection.run("SET GLOBAL TimeZone = 'UTC'")
  const freeing = await instance.connect()
  const release = interruptAt(stop, connection)
  let freedMs = performance.now()
  const freeWhenDue = async (): Promise<void> => {
    if (performance.now() - freedMs < freeEachMs) return
    freedMs = performance.now()
    await freeing.run(freeMemory(memory))
  }
  return {
    async rows(sql: string): Promise<Row[]> {
      stop.throwIfAborted()
      try {
        await freeWhenDue()
        return (await connection.runAndReadAll(sql)).getRowObjectsJson() as Row[]
      } catch (error) {
        throw stop.aborted ? stop.reason : error
      }
    },
    /**
     * Rows with the columns of the table, of a query that begins with FROM. Values have the types that writers of rows use. Several such
     * queries can be read at the same time.
     */
    async *tableRows(table: Table, from: string): AsyncIterable<object[]> {
      stop.throwIfAborted()
      await freeWhenDue()
      const own = await instance.connect()
      const release = interruptAt(stop, own)
      try {
        for await (const some of tableRows(own, table, from)) {
          yield some
          // The answer of a large table takes minutes.
          await freeWhenDue()
        }
      } catch (error) {
        // An interrupted answer may also just end early.
        throw stop.aborted ? stop.reason : error
      } finally {
        release()
        own.closeSync()
      }
    },
    async close() {
      release()
      freeing.closeSync()
      close()
    },
  }
}

/** What checks of rows use: the readable files of an inventory, and a DuckDB to query them. */
export type LakeRows = ReturnType<typeof lakeRows>

type BoundedFile = { readonly file: InventoryFile; readonly bounds: Bounds | null }

type Bounds = { readonly from: number; readonly to: number }

export type Checked = {
  readonly findings: readonly Finding[]
  readonly remarks: readonly Remark[]
  readonly unverifiable?: readonly Unverifiable[]
}

export const nothingFound: Checked = { findings: [], remarks: [] }

export function bothChecked(...checks: readonly Checked[]): Checked {
  return {
    findings: checks.flatMap(({ findings }) => findings),
    remarks: checks.flatMap(({ remarks }) => remarks),
    unverifiable: checks.flatMap(({ unverifiable }) => unverifiable ?? []),
  }
}

type Opened = {
  readonly engine: CheckEngine
  readonly inventory: Inventory
  readonly catalog: Pick<Catalog, 'fileBounds' | 'store'>
  /** Findings about files: tables with a damaged file are not read. */
  readonly findings: readonly Finding[]
  /** Names of the tables to verify; an empty list means all. */
  readonly only: readonly string[]
}

/** After these findings, DuckDB may fail or return wrong rows. */
const unreadable = ['file.gone', 'file.size', 'file.hash', 'file.unreadable', 'file.footer']

/** Names of the tables with missing or damaged files. */
export function tornTables(findings: readonly Finding[]): ReadonlySet<string | undefined> {
  return new Set(findings.filter(({ kind }) => unreadable.includes(kind)).map(({ table }) => table))
}

export function lakeRows({ engine, inventory, catalog, findings, only }: Opened) {
  const byName = new Map(inventory.tables.map((table) => [table.name, table]))
  const torn = tornTables(findings)
  const bounded = new Map<string, Promise<readonly BoundedFile[]>>()
  /** The files of a declared table; empty if the lake does not have the table. */
  const filesOf = ({ name }: Table) => byName.get(name)?.files ?? []
  const readBounds = async (table: Table, column: string): Promise<readonly BoundedFile[]> => {
    const bounds = await catalog.fileBounds(table.name, column)
    return filesOf(table).map((file) => {
      const own = bounds.get(file.id)
      return { file, bounds: own === undefined ? null : { from: own.min, to: own.max } }
    })
  }
  /** The files of a table with the least and the greatest value of a whole-number column; null if the catalog does not have them. */
  const boundedFiles = (table: Table, column: string): Promise<readonly BoundedFile[]> => {
    const key = `${table.name} ${column}`
    const found = bounded.get(key) ?? readBounds(table, column)
    bounded.set(key, found)
    return found
  }
  return {
    engine,
    inventory,
    filesOf,
    /** Whether any file is damaged, so that reading rows may fail. */
    isDamaged: findings.length > 0,
    /** Whether files of a table are missing or damaged, so that its rows are not read. */
    torn: ({ name }: Table) => torn.has(name),
    /** Whether the table is verified. Files and coverage of other tables are not loaded. */
    looksAt: ({ name }: Pick<Table, 'name'>) => only.length === 0 || only.includes(name),
    boundedFiles,
    /** The files that may hold a value from `from` to `to` (both included) in a whole-number column. */
    filesBetween: async (table: Table, column: string, { from, to }: Bounds): Promise<readonly InventoryFile[]> =>
      (await boundedFiles(table, column)).flatMap(({ file, bounds }) =>
        bounds === null || (bounds.from <= to && bounds.to >= from) ? [file] : [],
      ),
    /** An SQL relation of the rows of the files: all columns, and `file_index` and `file_row_number`. */
    relation(table: Table, files: readonly InventoryFile[]): string {
      if (files.length === 0)
        return `(SELECT *, 0::UBIGINT AS file_index, 0::BIGINT AS file_row_number FROM (${emptyQuery(table)}))`
      const paths = files.map(({ path }) => catalog.store.url(path))
      return `(SELECT *, file_index, file_row_number FROM ${parquetQuery(table, paths, rowCount(files))})`
    },
  }
}

export function tablesWithFiles(rows: LakeRows): Table[] {
  return withBuiltIn(rows.inventory.declared).filter((table) => rows.filesOf(table).length > 0)
}

/** Whether any stream covers something of a table. */
export function covers({ coverage }: Pick<Inventory, 'coverage'>, { name }: Table): boolean {
  return coverage.some(({ table }) => table === name)
}

/** The slices of a stream that a table covers. */
export function slicesOf(
  { coverage }: Pick<Inventory, 'coverage'>,
  stream: string,
  { name }: Pick<Table, 'name'>,
): Slice[] {
  return coverage.flatMap((row) => (row.stream === stream && row.table === name ? [row.slice] : []))
}

export function rowCount(files: readonly InventoryFile[]): number {
  return files.reduce((sum, { rows }) => sum + rows, 0)
}

/** Rows of some tables that are compared at once. Rows that belong together are in the same part. */
type RowPart = {
  /** Its first place, and the place after its last one. */
  readonly from: number
  readonly to: number
  /** The files of a table that may hold rows of the part. */
  readonly filesOf: (table: Table) => Promise<readonly InventoryFile[]>
  /** An SQL condition that selects the rows of the part. `keys`: SQL values that are equal in rows that belong together. */
  readonly condition: (keys: readonly string[]) => string
}

type PlaceColumn = 'height' | 'block_number'

/** All places: their numbers are exact in SQL and here. */
const everywhere = { from: 0, to: Number.MAX_SAFE_INTEGER }

/**
 * Cuts the rows of tables into parts of about `rowsAtOnce` rows. With a place, each part is a range of it, for which few files are read: the
 * time grows with the number of rows. Without, a part is what has the same remainder of a hash, and all rows are read for each part.
 */
export async function rowParts(
  rows: LakeRows,
  tables: readonly Table[],
  { place, margin = 0, rowsAtOnce }: { place: string | null; margin?: number; rowsAtOnce: number },
): Promise<RowPart[]> {
  if (place === null) return hashParts(rows, tables, rowsAtOnce)
  const starts = await partStarts(rows, tables, place, rowsAtOnce)
  return [everywhere.from, ...starts].map((from, part) => {
    const to = starts[part] ?? everywhere.to
    const ends = [
      ...(from === everywhere.from ? [] : [`${sqlName(place)} >= ${from - margin}`]),
      ...(to === everywhere.to ? [] : [`${sqlName(place)} < ${to + margin}`]),
    ]
    return {
      from,
      to,
      filesOf: (table) => rows.filesBetween(table, place, { from: from - margin, to: to + margin - 1 }),
      condition: () => (ends.length === 0 ? 'true' : `(${ends.join(' AND ')})`),
    }
  })
}

/**
 * The place among columns that rows which belong together share. Rows without a value are in no range, and only whole numbers have bounds in
 * the catalog: other columns are no place.
 */
export function placeAmong(names: readonly string[], tables: readonly Table[]): PlaceColumn | null {
  const isPlace = ({ columns }: Table, name: PlaceColumn): boolean =>
    columns[name]?.nullable === false && columns[name].type.kind === 'int64'
  const places = ['height', 'block_number'] as const
  return places.find((place) => names.includes(place) && tables.every((table) => isPlace(table, place))) ?? null
}

function hashParts(rows: LakeRows, tables: readonly Table[], rowsAtOnce: number): RowPart[] {
  const all = tables.reduce((sum, table) => sum + rowCount(rows.filesOf(table)), 0)
  const parts = Math.max(1, Math.ceil(all / rowsAtOnce))
  return Array.from({ length: parts }, (_, part) => ({
    ...everywhere,
    filesOf: async (table) => rows.filesOf(table),
    condition: (keys) => (parts === 1 ? 'true' : `hash(${keys.join(', ')}) % ${parts} = ${part}`),
  }))
}

/** Some rows of a file, at most a quarter of a part. The portions of a file are assumed to be spread evenly between its bounds. */
type Portion = { readonly at: number; readonly rows: number }

/** The first places of all parts but the first. Most files have few rows, so their bounds say where the rows are. */
export async function partStarts(
  rows: LakeRows,
  tables: readonly Table[],
  place: string,
  rowsAtOnce: number,
): Promise<number[]> {
  const portions: Portion[] = []
  for (const table of tables)
    for (const { file, bounds } of await rows.boundedFiles(table, place))
      if (bounds !== null) portions.push(...portionsOf(file, bounds, rowsAtOnce / 4))
  const starts: number[] = []
  let sum = 0
  for (const { at, rows } of portions.sort((a, b) => a.at - b.at)) {
    sum += rows
    if (sum <= rowsAtOnce || at <= (starts.at(-1) ?? Number.NEGATIVE_INFINITY)) continue
    starts.push(at)
    sum = rows
  }
  return starts
}

function portionsOf({ rows }: InventoryFile, { from, to }: Bounds, most: number): Portion[] {
  const count = Math.max(1, Math.min(Math.ceil(rows / most), to - from + 1))
  return Array.from({ length: count }, (_, portion) => ({
    at: from + Math.floor(((to - from + 1) * portion) / count),
    rows: rows / count,
  }))
}

type Networks = Pick<Inventory, 'networks'>
type RowPlace = Pick<Finding, 'network' | 'table' | 'stream' | 'slice' | 'height'>

/** The location of a row: its network and height, and the stream and coordinate that it was read from. */
export function placeOfRow(inventory: Networks, { name }: Pick<Table, 'name'>, row: Row): RowPlace {
  const network: string | undefined = row['network'] ?? undefined
  const height = numberOf(row['height'] ?? row['block_number'])
  const place: RowPlace = {
    table: name,
    ...(network === undefined ? {} : { network }),
    ...(height === null ? {} : { height }),
  }
  if (network === undefined || height === null) return place
  const path = streamOf(inventory, name, network, row)
  if (path === null) return place
  return { ...place, stream: pathId({ network, path }), slice: { from: height, to: height + 1 } }
}

function streamOf(inventory: Networks, table: string, network: string, row: Row): string | null {
  if (table.startsWith('p_')) return 'P/block'
  const chain: string | undefined = row['blockchain_id'] ?? undefined
  if ((table.startsWith('x_') || table.startsWith('c_')) && chain !== undefined)
    return `${chainName(inventory, network, chain)}/block`
  const evm: string | undefined = row['chain_id'] ?? undefined
  if (table.startsWith('evm_') && evm !== undefined) return `${evmPipelineOf(table)}/${evm}`
  return null
}

/** The pipeline over all blocks of an EVM chain that fills a table. Its name is that of its streams. */
function evmPipelineOf(table: string): string {
  const own = [evmTracesPipeline, evmStateDiffsPipeline].find(({ tables, optional }) =>
    [tables, ...Object.values(optional)].flatMap((each) => Object.values(each)).some(({ name }) => name === table),
  )
  return own?.name ?? 'evm-blocks'
}

/** The name of a chain in streams: its alias, or else its id. */
export function chainName({ networks }: Networks, network: string, blockchainId: string): string {
  const chains = networks.find((known) => known.network === network)?.chains ?? []
  return chains.find((chain) => chain.blockchainId === blockchainId)?.alias ?? blockchainId
}

/** The id of a chain, from its name in streams. */
export function chainId({ networks }: Networks, network: string, name: string): string {
  const chains = networks.find((known) => known.network === network)?.chains ?? []
  return chains.find(({ alias }) => alias === name)?.blockchainId ?? name
}

/** The names of the chain of a stream. `raw`: in raw containers, where the indexes from before the X-Chain was linear have their own. */
export function chainNames(networks: Networks, { network, chain: name = '', kind, path }: StreamFacts) {
  return { name, blockchainId: chainId(networks, network, name), raw: kind === 'block' ? name : path }
}

export function numberOf(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value)
}

/** At most this many findings of one check are reported one by one. */
export const mostFindings = 100

/** The first findings that a check gives. The check then ends. */
export async function firstFindings(check: () => AsyncIterable<readonly Finding[]>): Promise<Checked> {
  const findings: Finding[] = []
  for await (const some of check()) {
    findings.push(...some)
    if (findings.length >= mostFindings) break
  }
  return { findings: findings.slice(0, mostFindings), remarks: [] }
}

/** The other side of a comparison, and the kinds of findings that differences become. */
export type ComparedWith = {
  /** Its name in messages, such as `its raw container`. */
  readonly name: string
  readonly kinds: { readonly different: FindingKind; readonly missing: FindingKind; readonly extra: FindingKind }
  /** The table of the lake that the rows were decoded from, if any: then either of the two tables may be wrong. */
  readonly table?: string
  /** Columns that may differ. */
  readonly ignored: readonly string[]
  /** SQL condition: the other rows of the table are not compared. */
  readonly only?: string
}

/** Rows that were decoded from one record of a stream, by the names that the reader of the stream gives its tables. */
export type DecodedRecord = { readonly index: number; readonly rows: Readonly<Record<string, readonly Row[]>> }

/** Compares rows that were decoded from records of a stream with the rows of the lake at the same coordinates, table by table. */
export async function compareDecoded(
  rows: LakeRows,
  row: CoverageRow,
  tables: Readonly<Record<string, Table>>,
  records: readonly DecodedRecord[],
  from: ComparedWith,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [name, table] of Object.entries(tables)) {
    if (rows.torn(table) || !rows.looksAt(table)) continue
    const covered = rows.inventory.coverage.filter((other) => other.table === table.name && other.stream === row.stream)
    const isCovered = (index: number) => covered.some(({ slice }) => slice.from <= index && index < slice.to)
    // Many records have one coordinate.
    const indices = new Set([...new Set(records.map(({ index }) => index))].filter(isCovered))
    const own = records.filter(({ index }) => indices.has(index))
    const expected = new Map(own.flatMap((each) => (each.rows[name] ?? []).map((one) => [keyOf(table, one), one])))
    const wrong: Finding[] = []
    for await (const found of storedRows(rows, row, table, own, from)) {
      const key = keyOf(table, found)
      wrong.push(...differences(rows, table, found, from, expected.get(key)))
      expected.delete(key)
    }
    for (const derived of expected.values()) wrong.push(rowFinding(rows, table, derived, from, 'missing'))
    findings.push(...wrong.slice(0, mostFindings))
  }
  return findings
}

function differences(
  rows: LakeRows,
  table: Table,
  found: Row,
  from: ComparedWith,
  derived: Row | undefined,
): Finding[] {
  if (derived === undefined) return [rowFinding(rows, table, found, from, 'extra')]
  const column = differentColumn(table, derived, found, [...from.ignored, ...computedColumns(table)])
  return column === null ? [] : [differenceFinding(rows, table, found, from, column, derived)]
}

/**
 * The rows of the lake at the coordinates of records. Rows without a height are found by their transactions: assets, and all rows of the legacy
 * index of transactions.
 */
async function* storedRows(
  rows: LakeRows,
  { network, stream, origin }: CoverageRow,
  table: Table,
  records: readonly DecodedRecord[],
  { only = 'true' }: ComparedWith,
): AsyncGenerator<Row> {
  if (records.length === 0) return
  const indices = [...new Set(records.map(({ index }) => index))]
  const within = { from: Math.min(...indices), to: Math.max(...indices) }
  const isDense = within.to - within.from + 1 === indices.length
  const among = (column: string) =>
    `${column} BETWEEN ${within.from} AND ${within.to}${isDense ? '' : ` AND ${column} IN (${indices.join(', ')})`}`
  const isOfIndex = origin.kind === 'vtx' || (origin.kind === 'tx' && table.name === 'x_transactions')
  const column = isOfIndex
    ? 'container_index'
    : ['height', 'block_number'].find((name) => origin.kind !== 'tx' && name in table.columns)
  const { files, condition } =
    column === undefined
      ? ofTransactions(rows, table, { stream, within, records })
      : { files: await rows.filesBetween(table, column, within), condition: among(column) }
  // Transactions of blocks have the index of the block's container.
  const ofKind = origin.kind === 'tx' && isOfIndex ? "timestamp_source = 'accepted'" : 'true'
  const ofChain = rowsOfChain(rows.inventory, table, network, origin.chain ?? '')
  const stored = `FROM ${rows.relation(table, files)} WHERE ${ofChain} AND ${condition} AND ${ofKind} AND ${only}`
  for await (const some of rows.engine.tableRows(table, stored)) yield* some as Row[]
}

/** The rows of the transactions of records, in files that may hold them. */
function ofTransactions(
  rows: LakeRows,
  table: Table,
  of: { readonly stream: string; readonly within: Bounds; readonly records: readonly DecodedRecord[] },
) {
  const { from, to } = of.within
  const ids = of.records.flatMap((each) => (each.rows['transactions'] ?? []).map(({ tx_id: id }) => sqlText(id)))
  const mayHold = ({ stream, slice }: FileSource) =>
    stream === of.stream && (slice === null || (slice.from <= to && slice.to > from))
  const files = rows.filesOf(table).filter(({ sources }) => sources.length === 0 || sources.some(mayHold))
  const column = 'tx_id' in table.columns ? 'tx_id' : 'asset_id'
  return { files, condition: ids.length === 0 ? 'false' : `${column} IN (${ids.join(', ')})` }
}

function keyOf(table: Table, row: Record<string, unknown>): string {
  return table.key.map((name) => comparable(row[name])).join('\u0000')
}

/** The first column with a different value; null if there is none. */
export function differentColumn(
  table: Table,
  derived: Record<string, unknown>,
  found: Record<string, unknown>,
  ignored: readonly string[],
): string | null {
  const names = Object.keys(table.columns as Columns)
  return (
    names.find(
      (name) =>
        !ignored.includes(name) && found[name] !== null && comparable(derived[name]) !== comparable(found[name]),
    ) ?? null
  )
}

/** A value as text. Whole numbers may be numbers or bigints, depending on their size; both give the same text. */
export function comparable(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (value instanceof Uint8Array) return `0x${Buffer.from(value).toString('hex')}`
  if (Array.isArray(value)) return `[${value.map(comparable).join(', ')}]`
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([name, item]) => `${name}: ${comparable(item)}`)
      .join(', ')}}`
  return String(value)
}

/** The beginning of such a text, as findings show it. */
export function shownValue(value: unknown): string {
  return comparable(value).slice(0, 200)
}

/** A finding about a row, with its place and its key. */
export function findingOfRow(
  { inventory }: { readonly inventory: Networks },
  kind: FindingKind,
  table: Table,
  row: Row,
  facts: Pick<Finding, 'message'> & Partial<Finding>,
): Finding {
  const key = Object.fromEntries(table.key.map((name) => [name, comparable(row[name])]))
  return { kind, ...placeOfRow(inventory, table, row), key, ...facts }
}

/** A finding about a row of a comparison. */
export function rowFinding(
  rows: LakeRows,
  table: Table,
  row: Row,
  { name, kinds, table: otherTable }: ComparedWith,
  kind: keyof ComparedWith['kinds'],
  facts: Partial<Finding> = {},
): Finding {
  const message = {
    different: `${facts.columns?.[0]} of a row of ${table.name} differs from ${name}.`,
    missing: `${table.name} does not have a row that is in ${name}.`,
    extra: `A row of ${table.name} is not in ${name}.`,
  }[kind]
  return findingOfRow(rows, kinds[kind], table, row, {
    message,
    ...(otherTable === undefined ? {} : { otherTable }),
    ...facts,
  })
}

/** A column of a row of the lake is different in `said`. */
export function differenceFinding(
  rows: LakeRows,
  table: Table,
  row: Row,
  from: ComparedWith,
  column: string,
  said: Row,
): Finding {
  const values = { columns: [column], expected: shownValue(said[column]), found: shownValue(row[column]) }
  return rowFinding(rows, table, row, from, 'different', values)
}

/** Whether an EVM chain is the C-Chain of a network that the lake knows: headers and transactions of other chains have different shapes. */
export function isCChainIn({ networks }: Networks, network: string, chain: string | undefined): boolean {
  const known = networks.find((each) => each.network === network)
  return known !== undefined && String(evmChainId(known.networkId)) === chain
}

/** An SQL condition for the rows of C-Chains of known networks, by their EVM chain ids or blockchain ids. */
export function ofCChains(inventory: Networks): string {
  const each = inventory.networks.map(({ network, networkId }) => {
    const ids = [evmChainId(networkId), chainId(inventory, network, 'C')].filter((id) => id !== null)
    return `(network = ${sqlText(network)} AND chain_id IN (${ids.map((id) => sqlText(String(id))).join(', ')}))`
  })
  return each.join(' OR ') || 'false'
}

/** Columns with values that a node computes for each request. Neither the block nor its hash holds them, so they prove nothing about a row. */
export function computedColumns({ name }: Pick<Table, 'name'>): readonly string[] {
  return name === 'evm_blocks' ? ['size'] : []
}

/** How many rows are loaded at once. */
const loadedAtOnce = 20_000

/**
 * Loads values into tables of the engine, as texts of many rows: DuckDB keeps some KB for each value of a list of values. By the name of each
 * table and of its columns, which have their types unless they are texts, such as `slices, stream, first BIGINT`.
 */
export async function loadTables(
  { rows }: Pick<CheckEngine, 'rows'>,
  tables: Readonly<Record<string, readonly (readonly (string | number | boolean | null)[])[]>>,
): Promise<void> {
  // A control character in a value would end it.
  const plain = (value: string | number | boolean | null) => String(value ?? '').replace(/\p{Cc}/gu, '\ufffd')
  for (const [names, values] of Object.entries(tables)) {
    const [table = '', ...columns] = names.split(', ')
    const each = columns.map((column, at) => {
      const [name = '', type = 'VARCHAR'] = column.split(' ')
      return `nullif(split_part(line, chr(31), ${at + 1}), '')::${type} AS ${sqlName(name)}`
    })
    await rows(
      `CREATE OR REPLACE TEMP TABLE ${table} AS SELECT ${each.join(', ')} FROM (SELECT '' AS line WHERE false)`,
    )
    for (let from = 0; from < values.length; from += loadedAtOnce) {
      const some = values.slice(from, from + loadedAtOnce)
      const text = some.map((row) => row.map(plain).join('\u001f')).join('\u001e')
      const lines = `SELECT unnest(string_split(${sqlText(text)}, chr(30))) AS line`
      await rows(`INSERT INTO ${table} SELECT ${each.join(', ')} FROM (${lines})`)
    }
  }
}

/** An SQL condition that selects the rows of a chain, by its name in streams. */
export function rowsOfChain(networks: Networks, table: Table, network: string, chain: string): string {
  const conditions = [
    `network = ${sqlText(network)}`,
    ...('blockchain_id' in table.columns && !table.name.startsWith('p_')
      ? [`blockchain_id = ${sqlText(chainId(networks, network, chain))}`]
      : []),
    ...('chain_id' in table.columns ? [`chain_id = ${sqlText(chain)}`] : []),
  ]
  return conditions.join(' AND ')
}
