import { resolve } from 'node:path'
import type { DuckDBConnection, DuckDBMapValue, DuckDBValue } from '@duckdb/node-api'
import { type Field, fieldsOf, rowGroupRows, type Table } from '../define/index.ts'
import { interruptAt } from '../lib/duckdb.ts'
import { hashFile } from '../lib/files.ts'
import { sqlName, sqlText } from '../lib/text.ts'
import type { LeafStats, Part } from '../model.ts'
import { openFolderStore } from '../store/folder-store.ts'
import type { Store } from '../store/store.ts'
import { createEngine, tableSource } from './engine.ts'

type FileCopy = {
  readonly table: Table
  /** Files of the lake. Empty: a file without rows. */
  readonly files: readonly string[]
  /**
   * Whether the rows follow one another in the order of the files. Otherwise they are sorted: nulls last, equal rows in the order of the
   * files. Rows too wide to be sorted within the memory of a copy stay in the order of the files.
   */
  readonly isInOrder: boolean
  /** Where the new file is, and its name there. */
  readonly target: Pick<Store, 'create'>
  readonly path: string
  /** About how many bytes of Parquet a row has. Default: few. */
  readonly rowBytes?: number
}

type CopiedFile = Omit<Part, 'table' | 'path' | 'partition'>

/** Enough to sort wide rows, and for a row group of each column. With the pages of the encoder, the process stays below 512 MiB. */
const copyMemory = '192MB'

/** Maximum rows and bytes of a row group. DuckDB holds one in memory. */
const mostRows = rowGroupRows.nested
const mostBytes = 16_000_000

/** Copies rows within DuckDB, which spills to disk. Throws what `Lookup` throws. */
export type Copier = ReturnType<typeof openCopier>

/** `owner` is the id of the run; this process holds its lock. DuckDB spills to the folder of the lake. */
export function openCopier(lakeFolder: string, owner: string, store = openFolderStore(lakeFolder)) {
  const engine = createEngine({ lakeDir: resolve(lakeFolder), store, owner, memory: copyMemory })
  return {
    /**
     * Writes a durable file with the rows of files and the present columns of the table. Removes it when that fails.
     *
     * @throws StorageError; the reason of `stop`.
     */
    async copy({ table, files, isInOrder, ...target }: FileCopy, stop: AbortSignal): Promise<CopiedFile> {
      const order = [...new Set([...table.sortBy, ...table.key])].map((name) => `${sqlName(name)} NULLS LAST`)
      const names = Object.keys(table.columns).map(sqlName)
      const query = `SELECT ${names.join(', ')} FROM ${tableSource(store, table, files)}`
      const sorted = `${query} ORDER BY ${[...order, 'row_place'].join(', ')}`
      return engine.within(files, async (connection) => {
        stop.throwIfAborted()
        const release = interruptAt(stop, connection)
        try {
          if (isInOrder) return await writeRows(connection, { table, query, ...target })
          return await writeRows(connection, { table, query: sorted, ...target }).catch((error: unknown) => {
            if (!isOutOfMemory(error)) throw error
            return writeRows(connection, { table, query, ...target })
          })
        } catch (error) {
          throw stop.aborted ? stop.reason : error
        } finally {
          release()
        }
      })
    },
    /** Fingerprint of all rows of files as a multiset: equal for two lists of files with the same rows. `from`: where they are. */
    fingerprint: (table: Table, files: readonly string[], from = store): Promise<string> =>
      engine.within(from === store ? files : [], async (connection) => {
        const names = Object.keys(table.columns).map(sqlName).join(', ')
        const reader = await connection.runAndReadAll(
          `SELECT count(*), sum(hash(${names})::HUGEINT) FROM ${tableSource(from, table, files)}`,
        )
        return String(reader.getRows()[0])
      }),
    close: () => engine.close(),
  }
}

/** Whether DuckDB could not spill enough. Its sorter needs hundreds of megabytes at once for rows of a kilobyte. */
function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Out of Memory Error')
}

type WrittenRows = Pick<FileCopy, 'table' | 'target' | 'path' | 'rowBytes'> & {
  /** Returns the present columns of the table. */
  readonly query: string
}

/** Writes the rows of a query to a durable file. Removes it when that fails. */
export async function writeRows(
  connection: DuckDBConnection,
  { table, query, target, path, rowBytes = 0 }: WrittenRows,
): Promise<CopiedFile> {
  const file = await target.create(path)
  try {
    const rows = Math.min(mostRows, Math.max(1024, Math.floor(mostBytes / Math.max(1, rowBytes))))
    const written = await copyTo(connection, query, file.path, fieldsOf(table), rows)
    const sha256 = await hashFile(file.handle)
    await file.finish()
    return { ...written, sha256 }
  } catch (error) {
    await file.discard().catch(() => undefined)
    throw error
  }
}

/** Encodings of Parquet V1: Iceberg's reader in Spark fails at a page of V2's texts that are all null. */
async function copyTo(
  connection: DuckDBConnection,
  query: string,
  file: string,
  fields: readonly Field[],
  rows: number,
): Promise<Omit<CopiedFile, 'sha256'>> {
  const reader = await connection.runAndReadAll(
    `COPY (${query}) TO ${sqlText(file)} (FORMAT parquet, COMPRESSION zstd, PARQUET_VERSION v1, ROW_GROUP_SIZE ${rows},
       USE_TMP_FILE false, RETURN_STATS true, FIELD_IDS {${fields.map(fieldId).join(', ')}})`,
  )
  const found = reader.getRowObjects()[0] as Record<string, DuckDBValue>
  const statistics = new Map(
    (found['column_statistics'] as DuckDBMapValue).entries.map(({ key, value }) => [
      key as string,
      new Map((value as DuckDBMapValue).entries.map((each) => [each.key as string, each.value as string])),
    ]),
  )
  return {
    rows: Number(found['count']),
    bytes: Number(found['file_size_bytes']),
    footerBytes: Number(found['footer_size_bytes']),
    stats: fields.flatMap((field) => leafStats(field, '', statistics)),
  }
}

/** What DuckDB says of the leaves of a column, by their quoted paths. Doubles have no bounds, since those leave NaN out. */
function leafStats(
  { id, name, column, children }: Field,
  parent: string,
  statistics: ReadonlyMap<string, ReadonlyMap<string, string>>,
): LeafStats[] {
  const path = `${parent}${sqlName(name)}`
  if (children.length > 0) return children.flatMap((child) => leafStats(child, `${path}.`, statistics))
  const of = (key: string): string | null => statistics.get(path)?.get(key) ?? null
  const hasBounds = column.type.kind !== 'double'
  return [
    {
      fieldId: id,
      columnBytes: Number(of('column_size_bytes')),
      valueCount: Number(of('num_values')),
      nullCount: Number(of('null_count')),
      min: hasBounds ? of('min') : null,
      max: hasBounds ? of('max') : null,
    },
  ]
}

/** The id of a column and of its parts, as the option FIELD_IDS takes them. */
function fieldId({ name, id, children }: Field): string {
  if (children.length === 0) return `${sqlName(name)}: ${id}`
  return `${sqlName(name)}: {__duckdb_field_id: ${id}, ${children.map(fieldId).join(', ')}}`
}
