import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  BIGINT,
  BLOB,
  BOOLEAN,
  blobValue,
  DECIMAL,
  DOUBLE,
  type DuckDBBlobValue,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBDecimalValue,
  type DuckDBListValue,
  type DuckDBStructValue,
  DuckDBTimestampTZValue,
  type DuckDBType,
  type DuckDBValue,
  type DuckDBVector,
  LIST,
  listValue,
  TIMESTAMPTZ,
  VARCHAR,
} from '@duckdb/node-api'
import {
  type Column,
  type Columns,
  type ColumnType,
  duckdbType,
  emptyQuery,
  parquetQuery,
  type Table,
} from '../define/index.ts'
import { ChainlakeError, DefinitionError, StorageError, VerifyError } from '../errors.ts'
import { openDuckDb, queryChunks, withDuckDb } from '../lib/duckdb.ts'
import { diskRefusal, isOfDuckDb, lostFilesHint, temporaryName } from '../lib/files.ts'
import { sqlName, sqlText } from '../lib/text.ts'
import { missingFile, type Store } from '../store/store.ts'

type EngineOptions = {
  readonly lakeDir: string
  readonly store: Store
  readonly owner: string
  /** Memory limit of DuckDB; default 64 MB. */
  readonly memory?: string
}

/**
 * An in-memory DuckDB that spills to its own folder in the lake. DuckDB creates the folder when it needs more memory. `close` removes it; after a
 * crash of the owner, the next run removes it.
 */
export function createEngine({ lakeDir, store, owner, memory = '64MB' }: EngineOptions) {
  const folder = join(lakeDir, temporaryName('lookup', owner))
  let opened: ReturnType<typeof openDuckDb> | undefined
  const open = () =>
    (opened ??= openDuckDb(':memory:', {
      memory_limit: memory,
      temp_directory: folder,
      autoload_known_extensions: 'false',
    }))
  async function* stream<T>(
    files: readonly string[],
    use: (connection: DuckDBConnection) => AsyncIterable<T>,
  ): AsyncIterable<T> {
    const held = await store.hold(files)
    let connection: DuckDBConnection | undefined
    try {
      connection = await (await open()).instance.connect()
      yield* use(connection)
    } catch (error) {
      throw await lookupFailure(error, { lakeDir, store, files })
    } finally {
      connection?.closeSync()
      await held.release()
    }
  }
  return {
    /** Yields what `use`, which reads these files, yields with a connection. Temporary tables end with the connection. */
    stream,
    /** The same for a result that comes at once. */
    async within<T>(files: readonly string[], use: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
      const results: T[] = []
      const once = async function* (connection: DuckDBConnection) {
        yield await use(connection)
      }
      for await (const result of stream(files, once)) results.push(result)
      return results[0]!
    },
    async close() {
      const database = await opened?.catch(() => undefined)
      opened = undefined
      database?.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const systemPattern =
  /^Out of Memory Error|No space left|disk is full|quota exceeded|Permission denied|Read-only file system|Too many open files|Cannot allocate memory/i

/**
 * Translates a failure of DuckDB at files of the lake: a `VerifyError` that names the first missing or unreadable file, or a `StorageError` if
 * disk or memory were exhausted. The messages of DuckDB often name no file and do not separate the two, so this reads the files. Other errors
 * are returned unchanged.
 */
export async function lookupFailure(error: unknown, { lakeDir, store, files }: LookedAt): Promise<unknown> {
  if (!(error instanceof Error) || error instanceof ChainlakeError) return error
  if (!isOfDuckDb(error)) return error
  const reason = error.message.split('\n')[0] ?? ''
  const found = systemPattern.test(reason) ? null : await firstUnreadable(store, files)
  if (found !== null) {
    const details = { lake: lakeDir, file: found.file, reason: found.reason }
    if (found.missing) return missingFile(details, error)
    return new VerifyError('A file of a table is damaged.', {
      code: 'verify.damaged',
      details,
      hint: `All other committed data is safe. ${lostFilesHint}`,
      cause: error,
    })
  }
  if (!systemPattern.test(reason) && !reason.startsWith('IO Error: ')) return error
  const refusal = diskRefusal(error, lakeDir)
  return new StorageError(refusal === null ? 'The files of a table could not be read.' : `${refusal.problem}.`, {
    code: refusal?.code ?? 'storage.lookup',
    kind: refusal?.kind ?? 'lasting',
    details: { lake: lakeDir, reason },
    hint: 'Committed data is safe. Check the free disk space, the memory and the permissions of the files under data/, then run again.',
    cause: error,
  })
}

/** Files by their paths relative to the lake. */
type LookedAt = { readonly lakeDir: string; readonly store: Store; readonly files: readonly string[] }
type Unreadable = { readonly file: string; readonly missing: boolean; readonly reason: string }

async function firstUnreadable(store: Store, files: readonly string[]): Promise<Unreadable | null> {
  // Uses a new instance: after some failures the other one refuses further work.
  const look = async (connection: DuckDBConnection): Promise<Unreadable | null> => {
    for (const file of files) {
      const [bytes] = await store.sizes([file])
      if (bytes === null) return { file, missing: true, reason: 'The file does not exist.' }
      const path = sqlText(store.url(file).replace(/[*?[]/g, '[$&]'))
      try {
        await connection.run(`SELECT max(hash(f)) FROM read_parquet(${path}, hive_partitioning = false) f`)
      } catch (error) {
        const reason = (error as Error).message.split('\n')[0] ?? ''
        if (!systemPattern.test(reason)) return { file, missing: false, reason }
      }
    }
    return null
  }
  return withDuckDb(':memory:', look, { memory_limit: '128MB' })
}

/** Estimated rows per file for the query planner of DuckDB. It must exceed the number of keys of any query. */
const rowsOfFile = 1_000_000

/**
 * A query over the files of a table, in their order. It returns the columns of the table and `row_place`, which orders and identifies the rows.
 * Columns that are missing in a file are null.
 */
export function tableSource(
  store: Store,
  table: Table,
  files: readonly string[],
  rows = files.length * rowsOfFile,
): string {
  if (files.length === 0) return `(SELECT *, 0::BIGINT AS row_place FROM (${emptyQuery(table)}))`
  const paths = files.map((path) => store.url(path))
  const place = `(file_index::BIGINT << ${placeBits}) + file_row_number AS row_place`
  return `(SELECT *, ${place} FROM ${parquetQuery(table, paths, rows)})`
}

/** Number of low bits in a place for the row number in its file. */
export const placeBits = 40

/**
 * Rows with the columns of the table, in batches of some thousands. `from` is what follows the select list of the query; `replaced` has SQL
 * expressions instead of columns, by their names.
 *
 * The texts of a row come as one JSON array. Each text that crosses from DuckDB to JavaScript costs an ArrayBuffer, and half of the columns
 * are texts. Those of a row with long texts come one by one, because DuckDB takes several times their memory to make JSON of them.
 */
export async function* tableRows(
  connection: DuckDBConnection,
  table: Table,
  from: string,
  replaced: Readonly<Record<string, string>> = {},
): AsyncGenerator<object[]> {
  const columns = columnsOf(table)
  const expressions = (isText: boolean) =>
    columns.filter(({ packed }) => (packed !== -1) === isText).map(({ name }) => replaced[name] ?? sqlName(name))
  const texts = expressions(true)
  const bytes = ['0', ...texts.map((text) => `coalesce(strlen(${text}), 0)`)].join(' + ')
  const selected = [
    `CASE WHEN ${bytes} <= ${mostPacked} THEN json_array(${texts.join(', ')}) END`,
    ...texts.map((text) => `CASE WHEN ${bytes} > ${mostPacked} THEN ${text} END`),
    ...expressions(false),
  ].join(', ')
  for await (const chunk of queryChunks(connection, `SELECT ${selected} ${from}`)) {
    const vectors = [0, ...columns.map(({ position }) => position)].map((position) => chunk.getColumnVector(position))
    for (let at = 0; at < chunk.rowCount; at += rowsAtOnce)
      yield rowsOf(vectors, columns, at, Math.min(at + rowsAtOnce, chunk.rowCount))
  }
}

/** Rows of a chunk that become objects at a time. All 2,048 at once fill the young part of the heap: 8 % more CPU time. */
const rowsAtOnce = 256

/** Most bytes of texts of a row that come as JSON. The memory of DuckDB holds some thousand rows. */
const mostPacked = 2_048

export function withColumns(table: Table, names: readonly string[]): Table {
  return { ...table, columns: Object.fromEntries(names.map((name) => [name, table.columns[name]])) }
}

type ReadColumn = ReturnType<typeof columnsOf>[number]

/**
 * The columns of a table as `tableRows` reads them. `packed` is the place in the JSON of texts, -1 for other columns; `position` is that in
 * the query, where the JSON is column 0.
 */
function columnsOf({ columns }: Table) {
  const all = Object.entries(columns as Columns)
  const isText = ([, { type }]: (typeof all)[number]) => type.kind === 'text'
  const ordered = [...all.filter(isText), ...all.filter((column) => !isText(column))]
  return all.map((column) => {
    const [name, { type }] = column
    const at = ordered.indexOf(column)
    return { name, packed: isText(column) ? at : -1, position: at + 1, read: valueReader(type) }
  })
}

/** The rows from `from` to `to` of a chunk. `vectors`: the JSON of texts, and one for each column. */
function rowsOf(
  [json, ...vectors]: readonly DuckDBVector[],
  columns: readonly ReadColumn[],
  from: number,
  to: number,
): object[] {
  const rows: Record<string, unknown>[] = []
  for (let at = from; at < to; at++) {
    const packed = json!.getItem(at) as string | null
    const texts = packed === null ? null : (JSON.parse(packed) as unknown[])
    const row: Record<string, unknown> = {}
    for (let i = 0; i < columns.length; i++) {
      const { name, packed: place, read } = columns[i]!
      row[name] = texts === null || place === -1 ? read(vectors[i]!.getItem(at)) : texts[place]
    }
    rows.push(row)
  }
  return rows
}

type ReadValue = (value: any) => unknown

/** Reader for values of a column; see `t` in src/define/column.ts. Integers are numbers if they are exact. */
function valueReader(type: ColumnType): ReadValue {
  const read = notNull(type)
  return (value) => (value === null ? null : read(value))
}

function notNull(type: ColumnType): ReadValue {
  switch (type.kind) {
    case 'int64':
      return (value: bigint) => {
        const number = Number(value)
        return Number.isSafeInteger(number) ? number : value
      }
    case 'decimal':
      return (value: DuckDBDecimalValue) => value.value
    case 'timestamp':
      return (value: DuckDBTimestampTZValue) => value.micros
    case 'blob':
      return (value: DuckDBBlobValue) => value.bytes
    case 'list': {
      const item = valueReader(type.item.type)
      return (value: DuckDBListValue) => value.items.map(item)
    }
    case 'struct': {
      const fields = Object.entries(type.fields).map(([name, field]) => [name, valueReader(field.type)] as const)
      return ({ entries }: DuckDBStructValue) =>
        Object.fromEntries(fields.map(([name, read]) => [name, read(entries[name] ?? null)]))
    }
    default:
      return (value) => value
  }
}

const chunkRows = 2_048

/** Creates a temporary table with these columns of rows, and with their positions as `row_place`. A column that a row does not have is null. */
export async function giveRows(
  connection: DuckDBConnection,
  name: string,
  { columns }: Table,
  names: readonly string[],
  rows: readonly object[],
): Promise<void> {
  const given = names.map((column) => ({ column, ...valueWriter((columns[column] as Column).type, column) }))
  const declared = names.map((column) => `${sqlName(column)} ${duckdbType((columns[column] as Column).type)}`)
  await connection.run(`CREATE TEMP TABLE ${name}(row_place BIGINT${declared.map((each) => `, ${each}`).join('')})`)
  const appender = await connection.createAppender(name)
  try {
    for (let from = 0; from < rows.length; from += chunkRows) {
      const some = rows.slice(from, from + chunkRows) as Readonly<Record<string, unknown>>[]
      const chunk = DuckDBDataChunk.create([BIGINT, ...given.map(({ type }) => type)], some.length)
      chunk.setColumns([
        some.map((_, at) => BigInt(from + at)),
        ...given.map(({ column, write }) =>
          some.map((row) => {
            const value = row[column] ?? null
            return value === null ? null : write(value)
          }),
        ),
      ])
      appender.appendDataChunk(chunk)
    }
    appender.flushSync()
  } finally {
    appender.closeSync()
  }
}

type WriteValue = { readonly type: DuckDBType; readonly write: (value: any) => DuckDBValue }

/** The opposite of `valueReader`, for types of keys and of columns that never change. */
function valueWriter(type: ColumnType, name: string): WriteValue {
  switch (type.kind) {
    case 'text':
      return { type: VARCHAR, write: (value) => value }
    case 'boolean':
      return { type: BOOLEAN, write: (value) => value }
    case 'double':
      return { type: DOUBLE, write: (value) => value }
    case 'int64':
      return { type: BIGINT, write: BigInt }
    case 'decimal':
      return {
        type: DECIMAL(type.precision, 0),
        write: (value) => new DuckDBDecimalValue(BigInt(value), type.precision, 0),
      }
    case 'timestamp':
      return { type: TIMESTAMPTZ, write: (value) => new DuckDBTimestampTZValue(BigInt(value)) }
    case 'blob':
      return { type: BLOB, write: (value) => blobValue(value) }
    case 'list': {
      const item = valueWriter(type.item.type, name)
      return { type: LIST(item.type), write: (value: unknown[]) => listValue(value.map(item.write)) }
    }
    default:
      throw new DefinitionError(`Columns of the type of ${name} cannot be compared with the lake.`, {
        details: { type: type.kind },
      })
  }
}
