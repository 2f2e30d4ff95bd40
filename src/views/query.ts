import { existsSync, rmSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve, sep } from 'node:path'
import {
  DuckDBArrayValue,
  DuckDBBlobValue,
  type DuckDBConnection,
  type DuckDBInstance,
  DuckDBListValue,
  DuckDBMapValue,
  type DuckDBResult,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  type DuckDBValue,
} from '@duckdb/node-api'
import { ChainlakeError, ConfigError, type ErrorFacts, StorageError, VerifyError } from '../errors.ts'
import { answerChunks, interruptAt, openDuckDb } from '../lib/duckdb.ts'
import { lostFilesHint, temporaryName } from '../lib/files.ts'
import { shellText, sqlName, sqlText } from '../lib/text.ts'
import { inDataFolder } from '../store/data-file-path.ts'
import { openFolderStore } from '../store/folder-store.ts'
import { type Held, missingFile, type Store } from '../store/store.ts'
import { viewsHeader } from './published-views.ts'

/** What makes a query find nothing without an error. Looks at a statement without running it; one that is not understood gets no hints. */
async function queryHints(instance: DuckDBInstance, sql: string) {
  const connection = await instance.connect()
  try {
    return {
      /** Tables that it reads, directly or through views, and that no run has read anything for. */
      unfilled: await unfilledTables(connection, sql),
      /** Whether it compares bytes with text. Null: it does not; otherwise the text, empty where it is no constant. */
      textAsBytes: await textComparedWithBytes(connection, sql),
    }
  } catch {
    return { unfilled: [], textAsBytes: null }
  } finally {
    connection.closeSync()
  }
}

async function unfilledTables(connection: DuckDBConnection, sql: string): Promise<string[]> {
  const views = await readViews(connection)
  const seen = new Set<string>()
  const look = async (text: string): Promise<void> => {
    for (const name of await namesIn(connection, text)) {
      const view = views.get(name)
      if (view === undefined || seen.has(name)) continue
      seen.add(name)
      if (!isFilled(view)) await look(view.replace(/^CREATE VIEW .*? AS /s, ''))
    }
  }
  await look(sql)
  const empty = [...seen].filter((name) => name !== 'coverage' && isEmpty(views.get(name) ?? ''))
  if (empty.length === 0) return []
  const reader = await connection.runAndReadAll('SELECT DISTINCT table_name FROM coverage')
  const read = new Set(reader.getRows().map(([name]) => String(name)))
  // Views of an earlier snapshot do not show what was read by then.
  if (read.size === 0 && [...views.values()].some(isFilled)) return []
  return empty.filter((name) => !read.has(name))
}

function isFilled(view: string): boolean {
  return view.includes('read_parquet(')
}

/** See `emptyQuery`. */
function isEmpty(view: string): boolean {
  return !isFilled(view) && /CAST\(NULL AS [\s\S]*WHERE \(?CAST\('f' AS BOOLEAN\)/.test(view)
}

type Node = { readonly [key: string]: unknown }

/** The tables and views that a SELECT names, in the order of the text; names of its own subqueries are left out. */
export async function namesIn(connection: DuckDBConnection, sql: string): Promise<string[]> {
  const reader = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [sql])
  const names = new Set<string>()
  const own = new Set<string>()
  JSON.parse(String(reader.getRows()[0]?.[0]), (key, value: unknown) => {
    if (key === 'cte_map')
      for (const { key: name } of (value as { map: Node[] }).map) own.add(String(name).toLowerCase())
    const node = value as Node | null
    if (node?.['type'] === 'BASE_TABLE' && isHere(node)) names.add(String(node['table_name']).toLowerCase())
    return value
  })
  return [...names].filter((name) => !own.has(name))
}

/** Whether a table is one of the opened views, and not of another database that the query attached. */
function isHere({ schema_name: schema, catalog_name: catalog }: Node): boolean {
  return ['', 'lake'].includes(String(catalog)) && ['', 'main', 'lake'].includes(String(schema))
}

/** DuckDB casts the text to bytes, which are then those of its letters. The plan shows it. */
async function textComparedWithBytes(connection: DuckDBConnection, sql: string): Promise<string | null> {
  if (!/'0x|hex\(|\\x|\bjoin\b/i.test(sql)) return null
  await connection.run("SET explain_output = 'all'")
  const reader = await connection.runAndReadAll(`EXPLAIN (FORMAT JSON) ${sql}`)
  const plan = String(reader.getRows()[0]?.[1])
  const constant = /CAST\('(0x[0-9a-f]*)' AS BLOB\)/i.exec(plan)?.[1]
  if (constant !== undefined) return constant
  const isCompared = /CAST\([\w.]+ AS BLOB\) = |(?: = |IN \()CAST\([\w.]+ AS BLOB\)/.test(plan)
  return isCompared && !/blob/i.test(sql) ? '' : null
}

/**
 * Memory and threads of DuckDB. The rest of half a GiB is for the process around it. Each thread needs a part of this memory for itself.
 */
const queryMemory = { memory: '300MB', threads: 2 } as const

/**
 * Limits the memory of a DuckDB that reads a lake. Data that does not fit goes to a temporary folder outside the lake, because a query must
 * neither write to the lake nor wait for its catalog. The returned function removes that folder.
 */
async function boundMemory(connection: DuckDBConnection): Promise<() => void> {
  const folder = join(tmpdir(), temporaryName('lookup', 'reader'))
  const { memory, threads } = queryMemory
  for (const setting of [`memory_limit = '${memory}'`, `threads = ${threads}`, `temp_directory = ${sqlText(folder)}`])
    await connection.run(`SET ${setting}`)
  return () => rmSync(folder, { recursive: true, force: true })
}

/**
 * A value of a query's answer. A whole number is a number where that is exact, and the text of its digits otherwise. Decimals are text.
 * Times with a zone are `2026-11-21T10:35:00.123456Z`; times without one have no `Z`. Blobs are `0x` hex. All other types are as DuckDB
 * prints them.
 */
export type Cell = null | boolean | number | string | readonly Cell[] | { readonly [name: string]: Cell }

export function cellOf(value: DuckDBValue): Cell {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (value instanceof DuckDBTimestampTZValue) return isoTime(value, 'Z')
  if (value instanceof DuckDBTimestampValue) return isoTime(value, '')
  if (value instanceof DuckDBBlobValue) return `0x${Buffer.from(value.bytes).toString('hex')}`
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue) return value.items.map(cellOf)
  if (value instanceof DuckDBMapValue)
    return value.entries.map((entry) => ({ key: cellOf(entry.key), value: cellOf(entry.value) }))
  if (value instanceof DuckDBStructValue)
    return Object.fromEntries(Object.entries(value.entries).map(([name, item]) => [name, cellOf(item)]))
  return value.toString()
}

/** A cell as one line of text for tables and CSV; null is the empty text, lists and structs are JSON. */
export function cellText(cell: Cell): string {
  if (cell === null) return ''
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell)
}

function isoTime(value: DuckDBTimestampTZValue | DuckDBTimestampValue, zone: string): string {
  const { micros } = value
  const milliseconds = micros >= 0n ? micros / 1000n : (micros - 999n) / 1000n
  const date = new Date(Number(milliseconds))
  if (Number.isNaN(date.getTime())) return value.toString()
  const fraction = String(micros - milliseconds * 1000n).padStart(3, '0')
  return `${date.toISOString().slice(0, -1)}${fraction}${zone}`
}

function unreadableViews(file: string, cause: unknown): StorageError {
  return new StorageError('The views cannot be opened.', {
    code: 'storage.views',
    details: { file, reason: cause instanceof Error ? cause.message : String(cause) },
    hint: 'Rewrite them with chainlake views.',
    cause,
  })
}

/**
 * Refuses views that were written for another folder: they name the files of that folder, and would answer from them.
 *
 * @throws ConfigError `query.other-place`.
 */
async function refuseOtherPlace(connection: DuckDBConnection, folder: string): Promise<void> {
  const reader = await connection.runAndReadAll('SELECT lake_path FROM chainlake_lake').catch((cause: unknown) => {
    throw unreadableViews(join(folder, 'lake.duckdb'), cause)
  })
  const written = String(reader.getRows()[0]?.[0])
  if (written === folder || (await isSameFolder(written, folder))) return
  throw new ConfigError('The views of this lake read the files of another folder.', {
    code: 'query.other-place',
    details: { lake: folder, 'the views read': written },
    hint: `The lake was moved or copied. Rewrite its views: chainlake views --lake ${shellText(folder)}`,
  })
}

/** Links may lead to one folder under several names. */
async function isSameFolder(a: string, b: string): Promise<boolean> {
  const [first, second] = await Promise.all([a, b].map((path) => realpath(path).catch(() => null)))
  return first !== null && first === second
}

const missingPattern =
  /^IO Error: (?:No files found that match the pattern "(.+?)"|Cannot open file "(.+?)": No such file)/i
/** DuckDB's messages for a file that is not valid Parquet; those of its Thrift reader name no file. */
const damagedPattern =
  /No magic bytes found|too small to be a Parquet file|not a Parquet file|decompression fail|Could not read enough bytes|^Invalid Error: (?:TProtocolException|Out of buffer|don't know what type|invalid TType)/i

/** DuckDB reads a copy of a file in a bucket, and the copy alone may be damaged. */
const keptCopyHint =
  'This is a local copy of a file in S3. Run chainlake verify: it downloads damaged copies again, and checks the file in S3.'

/** The error for a query's failure at a file, from DuckDB's message; null for a message that is not about a file. */
export function fileFailure(store: Store, cause: Error): VerifyError | StorageError | null {
  const { message } = cause
  const pattern = missingPattern.exec(message)
  const missing = (pattern?.[1] ?? pattern?.[2])?.replace(/\[(.)\]/g, '$1')
  const data = store.url(inDataFolder(''))
  if (missing?.startsWith(data)) return missingFile({ file: dataFileOf(store, missing) }, cause)
  if (damagedPattern.test(message)) {
    const file = /[Ff]ile (['"])(.+)\1/.exec(message)?.[2]
    return damagedFile(store, { file, reason: message.split('\n')[0] }, cause)
  }
  if (!/^IO Error/i.test(message)) return null
  return new StorageError(message, {
    code: 'storage.read',
    hint: 'If the lake was moved, rewrite its views with chainlake views.',
    cause,
  })
}

export function damagedFile(store: Store, details: ErrorFacts, cause?: Error): VerifyError {
  return new VerifyError('A Parquet file that the query reads is damaged.', {
    code: 'verify.damaged',
    details,
    hint: store.remote === null ? lostFilesHint : keptCopyHint,
    cause,
  })
}

/** Path of a data file relative to its lake, from the address at which DuckDB reads the file. */
export function dataFileOf(store: Store, url: string): string {
  const path = url.slice(store.url(inDataFolder('')).length)
  return inDataFolder(path.split(sep).join('/'))
}

/** The text of each view by its name. */
export async function readViews(views: DuckDBConnection): Promise<Map<string, string>> {
  const reader = await views.runAndReadAll(
    "SELECT view_name, sql FROM duckdb_views() WHERE NOT internal AND schema_name = 'main'",
  )
  return new Map(reader.getRows().map(([name, sql]) => [String(name), String(sql)]))
}

/**
 * The views that a query may read: those that its text names, and those that the texts of these views name. The search does not look into
 * `leaves`. Names are in lower case.
 */
export function mentionedViews(
  query: string,
  views: ReadonlyMap<string, string>,
  leaves: readonly string[],
): ReadonlySet<string> {
  const mentioned = new Set<string>()
  const look = (text: string): void => {
    for (const [word] of text.toLowerCase().matchAll(/\w+/g)) {
      const view = views.get(word)
      if (view === undefined || mentioned.has(word)) continue
      mentioned.add(word)
      if (!leaves.includes(word)) look(view)
    }
  }
  look(query)
  return mentioned
}

export type QueryAnswer = {
  readonly columns: readonly {
    readonly name: string
    /** As DuckDB writes it, such as `DECIMAL(20,0)`. */
    readonly type: string
  }[]
  /** Rows as they arrive, some thousands at a time. They can be read once. */
  readonly chunks: AsyncIterable<readonly (readonly Cell[])[]>
}

/** An open `lake.duckdb`. It shows the snapshot that was published when it was opened, whatever a run publishes later. */
export type LakeReader = Awaited<ReturnType<typeof openLake>>

export type Source = {
  /** A file of views to open instead of `lake.duckdb`. */
  readonly viewsFile?: string | undefined
  /** Views over files that are downloaded for each query. They are closed together with the reader that uses them. */
  readonly remote?:
    | {
        /** A separate file of views, over which `prepare` creates others. */
        readonly viewsFile: string
        /** The folder from which DuckDB reads the downloaded files. */
        readonly folder: string
        readonly store: Store
        /** Creates the views that a query reads, and holds their files until the caller releases them. */
        readonly prepare: (connection: DuckDBConnection, sql: string) => Promise<Held>
        readonly close: () => Promise<void>
      }
    | undefined
  /** Refuses damaged files that a query reads, before the query runs. */
  readonly verifyFiles?: ((connection: DuckDBConnection, sql: string) => Promise<void>) | undefined
}

type QueryOptions = Source & {
  readonly confine?: Confine
  readonly stop?: AbortSignal | undefined
}

type Confine = (connection: DuckDBConnection) => Promise<void>

/**
 * Opens the views of a lake for reading, with times in UTC and within limited memory. `confine` may take rights from the connection. Throws
 * `ConfigError` when there are no views.
 */
export async function openLake(
  lakeDir: string,
  confine: Confine = async () => undefined,
  { viewsFile, remote, verifyFiles }: Source = {},
) {
  const folder = resolve(lakeDir)
  const store = remote?.store ?? openFolderStore(folder)
  const path = remote?.viewsFile ?? viewsFile ?? join(folder, 'lake.duckdb')
  if (!existsSync(path))
    throw new ConfigError('There are no views to query.', {
      code: 'query.no-lake',
      details: { file: path },
      hint: 'Set --lake to the folder of a lake, or create one with chainlake run. A run writes the views at its end, and about once a minute while it runs; chainlake views writes them at once.',
    })
  const access = remote === undefined ? 'READ_ONLY' : 'READ_WRITE'
  const opened = await openDuckDb(path, { access_mode: access }).catch((cause: unknown) => {
    throw unreadableViews(path, cause)
  })
  const { instance, connection } = opened
  let interrupted = false
  let removeSpilled = (): void => undefined
  const close = () => {
    opened.close()
    removeSpilled()
    void remote?.close()
  }
  try {
    await connection.run("SET TimeZone = 'UTC'")
    removeSpilled = await boundMemory(connection)
    if (remote === undefined) await refuseOtherPlace(connection, folder)
    await confine(connection)
  } catch (error) {
    close()
    throw error
  }
  return {
    /**
     * Runs SQL and streams the answer of its last statement. The caller must read the answer before the next query. Throws `ConfigError` with
     * DuckDB's message when the query is wrong, `VerifyError` when a file of the lake is missing or damaged, and `StorageError` when a file
     * cannot be read.
     */
    query: async (sql: string): Promise<QueryAnswer> => {
      interrupted = false
      const held = await remote?.prepare(connection, sql)
      const run = async () => {
        await verifyFiles?.(connection, sql)
        return runStatements(connection, sql, store)
      }
      const { result, again } = await run().catch(async (error: unknown) => {
        await held?.release()
        throw error
      })
      const types = result.columnTypes()
      const columns = result.columnNames().map((name, index) => ({ name, type: String(types[index]) }))
      return {
        columns,
        chunks: ending(
          chunksOf(result, () => (interrupted ? Promise.reject(new Error(interruption)) : again()), store),
          held?.release,
        ),
      }
    },
    /**
     * Writes the answer of one statement to a Parquet file with exact types. Throws the errors of `query`, and `ConfigError` for numbers of 128
     * bits within lists and structs, which DuckDB would round.
     */
    writeParquet: async (sql: string, path: string): Promise<void> => {
      const held = await remote?.prepare(connection, sql)
      try {
        await verifyFiles?.(connection, sql)
        await writeParquet(connection, sql, path)
      } catch (error) {
        throw queryError(error, store)
      } finally {
        await held?.release()
      }
    },
    /** What makes one statement find nothing without an error; see `queryHints`. */
    hints: (statement: string) => queryHints(instance, statement),
    /** Ends the running query with an error. */
    interrupt: (): void => {
      interrupted = true
      connection.interrupt()
    },
    close,
  }
}

/**
 * Runs one query on the views of a lake. Closes them when the caller has read the answer or given it up. `stop` ends the query when it is
 * aborted, with the signal's reason. Throws the errors of `LakeReader.query`.
 */
export async function queryLake(
  lakeDir: string,
  sql: string,
  { confine, stop, ...source }: QueryOptions = {},
): Promise<QueryAnswer> {
  stop?.throwIfAborted()
  const lake = await openLake(lakeDir, confine, source)
  const release = interruptAt(stop, lake)
  const close = () => {
    release()
    lake.close()
  }
  try {
    const { columns, chunks } = await lake.query(sql)
    return { columns, chunks: ending(chunks, close, stop) }
  } catch (error) {
    close()
    throw stop?.aborted ? stop.reason : error
  }
}

/** DuckDB's message for an interrupted query. */
const interruption = 'INTERRUPT Error: Interrupted!'

/** Runs all statements, and streams the answer of the last one. */
async function runStatements(connection: DuckDBConnection, sql: string, store: Store) {
  try {
    const result = await connection.stream(sql)
    // Runs the query again to get the error with which it failed halfway. With several statements, the earlier ones must not run twice.
    const again = async (): Promise<unknown> => {
      const { count } = await connection.extractStatements(sql)
      return count === 1 ? connection.run(`EXPLAIN ANALYZE ${sql}`) : null
    }
    return { result, again }
  } catch (error) {
    // DuckDB's binding has no error message for text without a statement.
    throw messageOf(error) === 'Error in native callback' ? emptyQuery() : queryError(error, store)
  }
}

function emptyQuery(): ConfigError {
  return new ConfigError('The query is empty.', {
    code: 'query.empty',
    hint: 'Give a query in quotes, such as chainlake sql "SELECT …", a file with --file, or a text in a pipe.',
  })
}

async function* chunksOf(result: DuckDBResult, again: () => Promise<unknown>, store: Store): AsyncGenerator<Cell[][]> {
  try {
    for await (const chunk of answerChunks(result, again)) yield chunk.getRows().map((row) => row.map(cellOf))
  } catch (error) {
    throw queryError(error, store)
  }
}

/** The chunks, and `end` when they have been read or given up. */
async function* ending<T>(
  chunks: AsyncIterable<T>,
  end: (() => void | Promise<void>) | undefined,
  stop?: AbortSignal | undefined,
): AsyncGenerator<T> {
  try {
    yield* chunks
  } catch (error) {
    throw stop?.aborted ? stop.reason : error
  } finally {
    await end?.()
  }
}

function queryError(cause: unknown, store: Store): ChainlakeError {
  if (cause instanceof ChainlakeError) return cause
  const message = messageOf(cause)
  const failure = cause instanceof Error ? fileFailure(store, cause) : null
  if (failure !== null) return failure
  const hint = failureHints.find(([pattern]) => pattern.test(message))?.[1]
  return new ConfigError(message, { code: 'query.failed', hint, cause })
}

const failureHints: readonly (readonly [pattern: RegExp, hint: string])[] = [
  [
    /^Out of Memory/,
    `A query may use ${queryMemory.memory} of memory; most data that does not fit is spilled to disk. Raise the limit in the same query: SET memory_limit = '4GB'; SELECT …`,
  ],
  [
    /^Binder Error: (Referenced column|.*does not have a column)/,
    '`chainlake describe TABLE` lists the columns of a table or view.',
  ],
  [
    /^Out of Range Error: Overflow in HUGEINT/,
    'The sum has more than 38 digits. The columns …_raw have amounts with all digits: write sum(amount_raw::BIGNUM).',
  ],
  [/^Catalog Error: Table with name/, '`chainlake tables` lists tables and views.'],
  [/^Binder Error: Can only|attached in read-only mode/, 'chainlake sql only reads. Runs write the lake.'],
]

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}

/**
 * Runs one SELECT on the views of a lake for a program that only needs its rows. It refuses a second statement and other kinds of
 * statements. The connection can change nothing, and can read only the files of the lake. Throws `ConfigError` with the reason, and the
 * reason of `stop` when that ended the query.
 */
export async function selectFromLake(
  lakeDir: string,
  sql: string,
  source: Source = {},
  stop?: AbortSignal | undefined,
): Promise<QueryAnswer> {
  const here = resolve(lakeDir)
  // The views contain the path that the lake had when they were written, which may have been a link.
  const folders = [
    here,
    await realpath(here).catch(() => null),
    (await viewsHeader(lakeDir))?.lakeDir ?? null,
    source.remote?.folder ?? null,
  ]
  const confine = async (connection: DuckDBConnection): Promise<void> => {
    await mustBeOneSelect(connection, sql)
    await readOnlyFrom(
      connection,
      folders.filter((folder) => folder !== null),
    )
  }
  return queryLake(lakeDir, sql, { ...source, confine, stop })
}

/** Lets a connection read only these folders, for good. It keeps that even from SQL that changes settings. */
export async function readOnlyFrom(connection: DuckDBConnection, folders: readonly string[]): Promise<void> {
  const settings = [
    ...(folders.length === 0 ? [] : [`allowed_directories = [${[...new Set(folders)].map(sqlText)}]`]),
    'enable_external_access = false',
    'autoload_known_extensions = false',
    'lock_configuration = true',
  ]
  for (const setting of settings) await connection.run(`SET ${setting}`)
}

type Parsed =
  | { readonly error: false; readonly statements: readonly unknown[] }
  | { readonly error: true; readonly error_type: string; readonly error_message: string }

/**
 * Why a text is not one SELECT; null when it is one. Uses DuckDB's parser alone: preparing a statement may already have effects, such as the
 * folder that an EXPORT writes to.
 */
export async function whyNotOneSelect(connection: DuckDBConnection, sql: string) {
  const reader = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [sql])
  const parsed = JSON.parse(String(reader.getRows()[0]?.[0])) as Parsed
  if (parsed.error && parsed.error_type === 'parser')
    return { code: 'query.failed', reason: `Parser Error: ${parsed.error_message}` }
  if (parsed.error)
    return { code: 'query.not-select', reason: 'it is another statement, such as COPY, ATTACH, PRAGMA or SET' }
  const { length } = parsed.statements
  if (length === 0) return { code: 'query.empty', reason: 'it is empty' }
  return length === 1 ? null : { code: 'query.not-select', reason: `there are ${length} statements` }
}

async function mustBeOneSelect(connection: DuckDBConnection, sql: string): Promise<void> {
  const mistake = await whyNotOneSelect(connection, sql)
  if (mistake === null) return
  const { code, reason } = mistake
  if (code === 'query.empty') throw emptyQuery()
  throw new ConfigError(code === 'query.failed' ? reason : `The query must be one SELECT, but ${reason}.`, { code })
}

/**
 * Writes the answer of one SELECT to a Parquet file. Parquet has no integers of 128 bits, and DuckDB would write them as DOUBLE: they become
 * DECIMAL(38,0), and a longer one ends the query with an error.
 *
 * @throws ConfigError `query.parquet` for other statements, and where such integers are within lists, structs or maps.
 */
export async function writeParquet(connection: DuckDBConnection, sql: string, path: string): Promise<void> {
  const query = sql.trim().replace(/;\s*$/, '')
  const columns = await columnsOf(connection, query)
  const cells = columns.map(({ name, type }, at) => {
    if (type === 'HUGEINT' || type === 'UHUGEINT') return `CAST(c${at} AS DECIMAL(38,0)) AS ${sqlName(name)}`
    if (/\bU?HUGEINT\b/.test(type)) throw roundedColumn(name, type)
    return `c${at} AS ${sqlName(name)}`
  })
  const given = columns.map((_, at) => `c${at}`).join(', ')
  // A comment may end the query: the bracket stands on a line of its own.
  await connection.run(
    `COPY (SELECT ${cells.join(', ')} FROM (${query}\n) AS answer(${given})) TO ${sqlText(path)} (FORMAT parquet, COMPRESSION zstd)`,
  )
}

async function columnsOf(connection: DuckDBConnection, query: string): Promise<QueryAnswer['columns']> {
  const statements = await connection.extractStatements(query)
  if (statements.count !== 1)
    throw new ConfigError('A Parquet file holds the answer of one statement.', {
      code: 'query.parquet',
      hint: 'Give a single SELECT.',
    })
  const statement = await statements.prepare(0)
  try {
    const names = Array.from({ length: statement.columnCount }, (_, at) => statement.columnName(at))
    return names.map((name, at) => ({ name, type: String(statement.columnType(at)) }))
  } finally {
    statement.destroySync()
  }
}

function roundedColumn(name: string, type: string): ConfigError {
  return new ConfigError(`The column ${JSON.stringify(name)} has the type ${type}, which Parquet would round.`, {
    code: 'query.parquet',
    hint: `Cast its integers to text or to DECIMAL(38,0) in the query.`,
  })
}
