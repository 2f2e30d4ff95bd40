import { resolve } from 'node:path'
import { type DuckDBConnection, LIST, listValue, VARCHAR } from '@duckdb/node-api'
import { type Column, identityColumns, type ReadStoredRows, type RequestedValues, type Table } from '../define/index.ts'
import { sumOf } from '../lib/arrays.ts'
import { sqlName, sqlText } from '../lib/text.ts'
import type { Part } from '../model.ts'
import { openFolderStore } from '../store/folder-store.ts'
import type { Store } from '../store/store.ts'
import { writeRows } from './copy-files.ts'
import { createEngine, giveRows, placeBits, tableRows, tableSource, withColumns } from './engine.ts'
import { keySql } from './row-identity.ts'

/** Files of a table by their paths relative to the lake, with `/`. The list may be empty. */
type TableFilesOf = { readonly table: Table; readonly files: readonly string[] }

/** How new rows of a table are compared with files of the lake. */
type Comparison = TableFilesOf & {
  /**
   * The error for a contradiction, where the rows are of a chain: then the lake must not have another row under the same key (see `lasting`),
   * or the same row under another number (see `numbered`).
   */
  readonly refuse?: ((contradiction: Contradiction) => Error) | undefined
}

type FoundRow = {
  readonly position: number
  /** Whether the lake has the row. Of a row with versions, whether it equals the latest one. */
  readonly isKnown: boolean
  /** The time (microseconds since 1970 UTC) of a new version: later than the latest one, even if the clock was set back. */
  readonly observedAt: bigint | null
}

export type Contradiction = {
  readonly kind: 'other row' | 'other number'
  /** The columns of the key, and the lasting columns. */
  readonly stored: object
  readonly given: object
}

type FileComparison = Comparison & {
  /** Files of the table, which no commit names. */
  readonly parts: readonly Part[]
  readonly newPath: (part: Part) => string
}

/**
 * Finds rows in the Parquet files of the lake. Memory is bounded; above the limit DuckDB spills to a folder in the lake. Columns that are
 * missing in older files are null. All methods may throw StorageError, and VerifyError for a missing or damaged file.
 */
export type Lookup = ReturnType<typeof openLookup>

/** Nothing is opened before the first query. `owner` is the id of the run; this process holds its lock. */
export function openLookup(lakeFolder: string, owner: string, store = openFolderStore(lakeFolder)) {
  const engine = createEngine({ lakeDir: resolve(lakeFolder), store, owner, memory: '128MB' })
  return {
    /** The rows with keys that the files have, in any order. `refuse` returns the error for a contradiction. */
    async findRows(options: Comparison & { readonly rows: readonly object[] }): Promise<FoundRow[]> {
      const { table, files, rows } = options
      if (files.length === 0 || rows.length === 0) return []
      return engine.within(files, async (connection) => {
        await giveRows(connection, 'given', table, comparedColumns(options), rows)
        await compare(connection, store, { ...options, given: 'given' })
        const reader = await connection.runAndReadAll('SELECT row_place, is_known, observed_at FROM found')
        return reader.getRows().map(([place, isKnown, observedAt]) => ({
          position: Number(place),
          isKnown: isKnown as boolean,
          observedAt: observedAt as bigint | null,
        }))
      })
    },
    /**
     * Compares new files with files of the lake, in one query. Resolves to files without the known rows, in the same order, and to the keys
     * of the known rows. Files with known rows are written again under new paths, and then removed. After a failure all given files are left.
     */
    async newRows(options: FileComparison): Promise<{ readonly parts: Part[]; readonly known: readonly object[] }> {
      const { table, files, parts } = options
      if (files.length === 0 || parts.length === 0) return { parts: [...parts], known: [] }
      const own = parts.map(({ path }) => path)
      return engine.within([...files, ...own], async (connection) => {
        const given = tableSource(store, table, own, sumOf(parts, 'rows'))
        await compare(connection, store, { ...options, given })
        const known: object[] = []
        const places = 'SELECT row_place FROM found WHERE is_known'
        for await (const rows of tableRows(connection, keysOf(table), `FROM ${given} WHERE row_place IN (${places})`))
          known.push(...rows)
        return { parts: await withoutKnown(connection, store, options), known }
      })
    },
    /** The key of a row of new files that the files have, too; null if there is none. */
    async firstHeld({
      table,
      files,
      parts,
    }: TableFilesOf & { readonly parts: readonly Part[] }): Promise<object | null> {
      if (files.length === 0 || parts.length === 0) return null
      const own = parts.map(({ path }) => path)
      return engine.within([...files, ...own], async (connection) => {
        const given = tableSource(store, table, own, sumOf(parts, 'rows'))
        const found = `FROM ${tableSource(store, table, files)} f JOIN ${given} g ON ${sameKeys(table)} LIMIT 1`
        const names = Object.fromEntries(identityColumns(table).map((name) => [name, `g.${sqlName(name)}`]))
        for await (const [row] of tableRows(connection, keysOf(table), found, names)) if (row !== undefined) return row
        return null
      })
    },
    /** The rows that a query selects, in the order of the files, in batches of some thousands. */
    selectedRows: ({
      table,
      files,
      column,
      query,
    }: TableFilesOf & { column: string; query: Parameters<ReadStoredRows>[0] }) => {
      const { from, to, texts } = query
      const conditions = [`${sqlName(column)} >= ${from} AND ${sqlName(column)} < ${to}`, ...isOneOf(texts)].join(
        ' AND ',
      )
      return engine.stream(files, (connection) =>
        tableRows(connection, table, `FROM ${tableSource(store, table, files)} WHERE ${conditions}`),
      )
    },
    /**
     * The earliest time (microseconds since 1970 UTC) in a column, among the rows with a latest version that satisfies all of `where`: one
     * of the columns of an entry, which are texts, has one of its values. Null when there is none.
     */
    async earliestTime({
      table,
      files,
      where,
      column,
    }: TableFilesOf & { readonly where: readonly RequestedValues[]; readonly column: string }): Promise<bigint | null> {
      if (files.length === 0) return null
      return engine.within(files, async (connection) => {
        const source = tableSource(store, table, files)
        const key = identityColumns(table).map(sqlName).join(', ')
        const condition = where.map((values) => `(${isOneOf(values).join(' OR ')})`).join(' AND ')
        // Most rows never satisfy the condition. Only versions of the others are compared.
        const reader = await connection.runAndReadAll(
          `SELECT epoch_us(min(${sqlName(column)})) FROM (
             SELECT * FROM ${source} f SEMI JOIN (SELECT ${key} FROM ${source} WHERE ${condition}) g ON ${sameKeys(table)}
             QUALIFY row_number() OVER (PARTITION BY ${key} ORDER BY observed_at DESC, row_place DESC) = 1
           ) WHERE ${condition}`,
        )
        return (reader.getColumns()[0]?.[0] ?? null) as bigint | null
      })
    },
    /** All rows in the order of the files, in batches of some thousands. */
    rows: ({ table, files }: TableFilesOf) =>
      engine.stream(files, (connection) => tableRows(connection, table, `FROM ${tableSource(store, table, files)}`)),
    changedRows: (options: ChangedRows) =>
      engine.stream([...options.staged, ...options.files], (connection) => changedRows(connection, store, options)),
    close: () => engine.close(),
  }
}

function comparedColumns({ table, refuse }: Comparison): string[] {
  const versions = table.history === 'versions' ? ['version_hash', 'observed_at'] : []
  return [...new Set([...identityColumns(table), ...versions, ...(refuse === undefined ? [] : table.lasting)])]
}

type GivenRows = Comparison & {
  /** The new rows, as SQL. */
  readonly given: string
}

/**
 * Creates the temporary table `found`: the new rows with keys that the files have. The join is by values, so that DuckDB skips row groups by
 * their statistics.
 */
async function compare(connection: DuckDBConnection, store: Store, options: GivenRows): Promise<void> {
  const { table, files, given, refuse } = options
  const place = "{'at': f.observed_at, 'place': f.row_place}"
  const [isKnown, observedAt] =
    table.history === 'versions'
      ? [
          `arg_max(f.version_hash, ${place}) = any_value(g.version_hash)`,
          'greatest(epoch_us(max(f.observed_at)) + 1, epoch_us(any_value(g.observed_at)))',
        ]
      : ['true', 'NULL::BIGINT']
  const isSame =
    refuse !== undefined && table.lasting.length > 0 ? `bool_and(${sameValues(table, table.lasting)})` : 'true'
  await connection.run(
    `CREATE TEMP TABLE found AS
     SELECT g.row_place, max(f.row_place) AS stored, ${isKnown} AS is_known, ${observedAt} AS observed_at, ${isSame} AS is_same
     FROM ${tableSource(store, table, files)} f JOIN ${given} g ON ${sameKeys(table)}
     GROUP BY g.row_place`,
  )
  if (refuse === undefined) return
  const other = 'SELECT row_place, stored FROM found WHERE NOT is_same ORDER BY row_place LIMIT 1'
  await refuseFirst(connection, store, options, 'other row', other)
  if (table.numbered !== null) await refuseOtherNumber(connection, store, options)
}

async function refuseOtherNumber(connection: DuckDBConnection, store: Store, options: GivenRows): Promise<void> {
  const { table, files, given } = options
  const isText = (name: string) => {
    const { type, nullable } = table.columns[name] as Column
    return type.kind === 'text' && !nullable
  }
  const by = [...table.key.filter((name) => name !== table.numbered), ...table.lasting.filter(isText)]
  // Most new rows are of other contracts than those that the lake has: the other values are seldom read.
  await connection.run(
    `CREATE TEMP TABLE suspects AS
     SELECT g.row_place, f.row_place AS stored
     FROM ${tableSource(store, table, files)} f JOIN ${given} g ON ${sameValues(table, by)}
     WHERE g.row_place NOT IN (SELECT row_place FROM found) AND f.row_place NOT IN (SELECT stored FROM found)`,
  )
  const { currentRowCount } = await connection.runAndReadAll('SELECT 1 FROM suspects LIMIT 1')
  if (currentRowCount === 0) return
  const other = `SELECT s.row_place, s.stored
    FROM ${tableSource(store, table, files)} f JOIN suspects s ON f.row_place = s.stored JOIN ${given} g ON g.row_place = s.row_place
    WHERE ${sameValues(table, table.lasting)} ORDER BY s.row_place LIMIT 1`
  await refuseFirst(connection, store, options, 'other number', other)
}

/** Throws for the row that a query returns with its place in the lake. */
async function refuseFirst(
  connection: DuckDBConnection,
  store: Store,
  { table, files, given, refuse }: GivenRows,
  kind: Contradiction['kind'],
  query: string,
): Promise<void> {
  const [first] = (await connection.runAndReadAll(query)).getRows()
  if (first === undefined || refuse === undefined) return
  const named = withColumns(table, [...new Set([...identityColumns(table), ...table.lasting])])
  const rowAt = async (source: string, place: unknown): Promise<object> => {
    for await (const [row] of tableRows(connection, named, `FROM ${source} WHERE row_place = ${place}`))
      if (row !== undefined) return row
    return {}
  }
  const [place, stored] = first
  throw refuse({
    kind,
    stored: await rowAt(tableSource(store, table, files), stored),
    given: await rowAt(given, place),
  })
}

/** The parts without the rows that `found` knows, and with the times of new versions. */
async function withoutKnown(
  connection: DuckDBConnection,
  store: Store,
  { table, parts, newPath }: FileComparison,
): Promise<Part[]> {
  const reader = await connection.runAndReadAll(
    `SELECT row_place >> ${placeBits}, count(*) FILTER (is_known), count(*) FROM found GROUP BY ALL`,
  )
  const counts = new Map(reader.getRows().map(([file, known, all]) => [Number(file), [Number(known), Number(all)]]))
  const [kept, replaced, rewritten]: [Part[], Part[], Part[]] = [[], [], []]
  try {
    for (const [at, part] of parts.entries()) {
      const [known = 0, found = 0] = counts.get(at) ?? []
      const isAsItIs = known === 0 && (found === 0 || table.history !== 'versions')
      if (isAsItIs) kept.push(part)
      else replaced.push(part)
      if (isAsItIs || known === part.rows) continue
      const path = newPath(part)
      const query = newRowsQuery(table, tableSource(store, table, [part.path]), BigInt(at) << BigInt(placeBits))
      const rowBytes = part.bytes / part.rows
      const written = await writeRows(connection, { table, query, target: store, path, rowBytes })
      rewritten.push({ table: table.name, path, partition: part.partition, ...written })
      kept.push(rewritten.at(-1)!)
    }
  } catch (error) {
    await Promise.allSettled(rewritten.map(({ path }) => store.remove(path)))
    throw error
  }
  await Promise.allSettled(replaced.map(({ path }) => store.remove(path)))
  return kept
}

/** The rows of a file that are not known, in their order. `first`: the place of its first row in `found`. */
function newRowsQuery(table: Table, source: string, first: bigint): string {
  const names = Object.keys(table.columns)
  if (table.history !== 'versions')
    return `SELECT ${names.map(sqlName).join(', ')} FROM ${source}
      WHERE row_place + ${first} NOT IN (SELECT row_place FROM found WHERE is_known)`
  const values = names.map((name) =>
    name === 'observed_at'
      ? 'coalesce(make_timestamptz(k.observed_at), r.observed_at) AS observed_at'
      : `r.${sqlName(name)}`,
  )
  return `SELECT ${values.join(', ')} FROM ${source} r LEFT JOIN found k ON k.row_place = r.row_place + ${first}
    WHERE k.is_known IS NOT TRUE ORDER BY r.row_place`
}

/** SQL condition that the rows `f` and `g` have the same values of these columns. */
function sameValues(table: Table, names: readonly string[]): string {
  return names
    .map((name) => {
      const { nullable } = table.columns[name] as Column
      return `f.${sqlName(name)} ${nullable ? 'IS NOT DISTINCT FROM' : '='} g.${sqlName(name)}`
    })
    .join(' AND ')
}

function sameKeys(table: Table): string {
  return sameValues(table, identityColumns(table))
}

function keysOf(table: Table): Table {
  return withColumns(table, identityColumns(table))
}

function isOneOf(values: RequestedValues): string[] {
  return Object.entries(values).map(([name, texts]) => `${sqlName(name)} IN (${texts.map(sqlText).join(', ')})`)
}

type ChangedRows = {
  /** A table with versions. */
  readonly table: Table
  /** Files of the observation. Their rows have version hashes. */
  readonly staged: readonly string[]
  /** Files of the lake. */
  readonly files: readonly string[]
  /** Ids of the complete observations of the same stream. */
  readonly observationIds: readonly string[]
  readonly observation: { readonly id: string /** µs since 1970 UTC. */; readonly observedAt: bigint }
}

/**
 * The new versions of a complete observation. First, the staged rows that differ from their latest version, or have a latest version that is
 * not present; of several staged rows with the same key, the last one counts. Then, for tables with a column `present`, the rows that an
 * earlier observation of the stream saw last and that are missing now: with `present` false and the new observation.
 */
async function* changedRows(
  connection: DuckDBConnection,
  store: Store,
  { table, staged, files, observationIds, observation }: ChangedRows,
): AsyncGenerator<object[]> {
  // 128 bits take a third less memory than the text. It is infeasible to construct texts with different SHA-256 but equal MD5 of it.
  const key = `md5_number(sha256(${keySql(table)}))`
  const stagedRows = tableSource(store, table, staged)
  const lakeRows = tableSource(store, table, files)
  const hasPresent = 'present' in table.columns
  await connection.run(
    `CREATE TEMP TABLE staged_keys AS
     SELECT key, max(row_place) AS row_place FROM (SELECT ${key} AS key, row_place FROM ${stagedRows}) GROUP BY key`,
  )
  // Whole rows would not fit in memory. Row places do, and DuckDB can spill aggregates of numbers to disk.
  const rank = 'epoch_us(observed_at)::HUGEINT * 9223372036854775808 + row_place'
  await connection.run(
    `CREATE TEMP TABLE latest_places AS
     SELECT key, (max(rank) % 9223372036854775808)::BIGINT AS row_place
     FROM (SELECT ${key} AS key, ${rank} AS rank FROM ${lakeRows})
     ${hasPresent ? '' : 'SEMI JOIN staged_keys USING (key)'} GROUP BY key`,
  )
  await connection.run(
    `CREATE TEMP TABLE latest AS
     SELECT l.key, l.row_place, r.version_hash AS hash, ${hasPresent ? 'r.present' : 'true'} AS present,
       r.observation_id IN (SELECT unnest($1::VARCHAR[])) AS own
     FROM ${lakeRows} r JOIN latest_places l USING (row_place)`,
    [listValue([...observationIds])],
    [LIST(VARCHAR)],
  )
  await connection.run(
    `CREATE TEMP TABLE changed AS
     SELECT s.row_place FROM staged_keys k JOIN ${stagedRows} s USING (row_place) LEFT JOIN latest l ON l.key = k.key
     WHERE l.key IS NULL OR l.hash <> s.version_hash OR NOT l.present`,
  )
  yield* tableRows(connection, table, `FROM ${stagedRows} WHERE row_place IN (SELECT row_place FROM changed)`)
  if (!hasPresent) return
  await connection.run(
    `CREATE TEMP TABLE gone AS
     SELECT l.row_place FROM latest l ANTI JOIN staged_keys USING (key) WHERE l.present AND l.own`,
  )
  const replaced = {
    present: 'false',
    observation_id: sqlText(observation.id),
    observed_at: `make_timestamptz(${observation.observedAt})`,
  }
  yield* tableRows(connection, table, `FROM ${lakeRows} WHERE row_place IN (SELECT row_place FROM gone)`, replaced)
}
