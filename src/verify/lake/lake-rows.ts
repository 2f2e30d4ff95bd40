import type { Catalog, Inventory, InventoryFile } from '../../catalog/catalog.ts'
import { withBuiltIn } from '../../declared/lake-tables.ts'
import { emptyQuery, parquetQuery, type Table } from '../../define/index.ts'
import type { Store } from '../../store/store.ts'
import type { Engine } from './engine.ts'
import type { Finding, Remark, Unverifiable } from './finding.ts'

/** What checks of rows use: the readable files of an inventory, and a DuckDB to query them. */
export type LakeRows = {
  readonly engine: Engine
  readonly inventory: Inventory
  /** The files of a declared table; empty if the lake does not have the table. */
  readonly filesOf: (table: Table) => readonly InventoryFile[]
  /** The files of a table with the least and the greatest value of a whole-number column; null if the catalog does not have them. */
  readonly boundedFiles: (table: Table, column: string) => Promise<readonly BoundedFile[]>
  /** The files that may hold a value from `from` to `to` (both included) in a whole-number column. */
  readonly filesBetween: (table: Table, column: string, range: Bounds) => Promise<readonly InventoryFile[]>
  /** An SQL relation of the rows of the files: all columns, and `file_index` and `file_row_number`. */
  readonly relation: (table: Table, files: readonly InventoryFile[]) => string
  /** Whether any file is damaged, so that reading rows may fail. */
  readonly isDamaged: boolean
  /** Whether files of a table are missing or damaged, so that its rows are not read. */
  readonly torn: (table: Table) => boolean
  /** Whether the table is verified. Files and coverage of other tables are not loaded. */
  readonly looksAt: (table: Table) => boolean
}

type BoundedFile = { readonly file: InventoryFile; readonly bounds: Bounds | null }

export type Bounds = { readonly from: number; readonly to: number }

/** The result of a check. */
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
  readonly engine: Engine
  readonly inventory: Inventory
  readonly store: Store
  readonly catalog: Pick<Catalog, 'fileBounds'>
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

export function lakeRows({ engine, inventory, store, catalog, findings, only }: Opened): LakeRows {
  const byName = new Map(inventory.tables.map((table) => [table.name, table]))
  const torn = tornTables(findings)
  const bounded = new Map<string, Promise<readonly BoundedFile[]>>()
  const filesOf = ({ name }: Table) => byName.get(name)?.files ?? []
  const readBounds = async (table: Table, column: string): Promise<readonly BoundedFile[]> => {
    const known = byName.get(table.name)
    const id = known?.columns.find(({ name, parentId }) => name === column && parentId === null)?.id
    const bounds = known === undefined || id === undefined ? null : await catalog.fileBounds(known.id, id)
    return filesOf(table).map((file) => {
      const own = bounds?.get(file.id)
      return { file, bounds: own === undefined ? null : { from: own.min, to: own.max } }
    })
  }
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
    isDamaged: findings.length > 0,
    torn: ({ name }) => torn.has(name),
    looksAt: ({ name }) => only.length === 0 || only.includes(name),
    boundedFiles,
    filesBetween: async (table, column, { from, to }) =>
      (await boundedFiles(table, column)).flatMap(({ file, bounds }) =>
        bounds === null || (bounds.from <= to && bounds.to >= from) ? [file] : [],
      ),
    relation(table, files) {
      if (files.length === 0)
        return `(SELECT *, 0::UBIGINT AS file_index, 0::BIGINT AS file_row_number FROM (${emptyQuery(table)}))`
      const rows = files.reduce((sum, file) => sum + file.rows, 0)
      const source = parquetQuery(
        table,
        files.map(({ path }) => store.url(path)),
        rows,
      )
      return `(SELECT *, file_index, file_row_number FROM ${source})`
    },
  }
}

/** The tables that have files in the lake. */
export function tablesWithFiles(rows: LakeRows): Table[] {
  return withBuiltIn(rows.inventory.declared).filter((table) => rows.filesOf(table).length > 0)
}

export function rowCount(files: readonly InventoryFile[]): number {
  return files.reduce((sum, { rows }) => sum + rows, 0)
}
