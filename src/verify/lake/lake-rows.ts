import { tables as declaredTables } from '../../../schemas/index.ts'
import type { Catalog, Inventory, InventoryFile } from '../../catalog/catalog.ts'
import { emptyQuery, parquetQuery, type Table } from '../../define/index.ts'
import type { Store } from '../../store/store.ts'
import type { Engine } from './engine.ts'
import type { Finding, Remark, Unverifiable } from './finding.ts'

/** What checks of rows work with: the files of an inventory that can be read, and a DuckDB to ask. */
export type LakeRows = {
  readonly engine: Engine
  readonly inventory: Inventory
  /** Files of a declared table; none of one that the lake lacks. */
  readonly filesOf: (table: Table) => readonly InventoryFile[]
  /** Those that may hold a row with a value from `from` to `to`, both included, in a whole-number column, or null in it. */
  readonly filesBetween: (table: Table, column: string, range: Bounds) => Promise<readonly InventoryFile[]>
  /** What SQL reads rows of the files from: all columns, and `file_index`, `file_row_number`. */
  readonly relation: (table: Table, files: readonly InventoryFile[]) => string
  /** Whether something is wrong with files at all, so that reading rows may fail. */
  readonly isDamaged: boolean
  /** Whether files of a table are gone or no whole ones: its rows are not read. */
  readonly torn: (table: Table) => boolean
  /** Whether it is one of the tables that are verified: of others nothing is known, neither files nor coverage. */
  readonly looksAt: (table: Table) => boolean
}

export type Bounds = { readonly from: number; readonly to: number }

/** What a check of rows found. */
export type Checked = {
  readonly findings: readonly Finding[]
  readonly remarks: readonly Remark[]
  /** Absent: nothing. */
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
  /** What is wrong with files: tables of which one is not whole are not read. */
  readonly findings: readonly Finding[]
  /** Names of the tables that are verified; all when empty. */
  readonly only: readonly string[]
}

/** Of these nobody knows what DuckDB makes of them. */
const unreadable = ['file.gone', 'file.size', 'file.hash', 'file.unreadable', 'file.footer']

/** Tables of which files are gone or no whole ones, by name. */
export function tornTables(findings: readonly Finding[]): ReadonlySet<string | undefined> {
  return new Set(findings.filter(({ kind }) => unreadable.includes(kind)).map(({ table }) => table))
}

export function lakeRows({ engine, inventory, store, catalog, findings, only }: Opened): LakeRows {
  const byName = new Map(inventory.tables.map((table) => [table.name, table]))
  const torn = tornTables(findings)
  const bounds = new Map<string, ReturnType<Catalog['fileBounds']>>()
  const filesOf = ({ name }: Table) => byName.get(name)?.files ?? []
  return {
    engine,
    inventory,
    filesOf,
    isDamaged: findings.length > 0,
    torn: ({ name }) => torn.has(name),
    looksAt: ({ name }) => only.length === 0 || only.includes(name),
    async filesBetween(table, column, { from, to }) {
      const known = byName.get(table.name)
      const id = known?.columns.find(({ name, parentId }) => name === column && parentId === null)?.id
      if (known === undefined || id === undefined) return filesOf(table)
      const name = `${table.name} ${column}`
      const found = bounds.get(name) ?? catalog.fileBounds(known.id, id)
      bounds.set(name, found)
      const within = await found
      return known.files.filter((file) => {
        const own = within.get(file.id)
        return own === undefined || (own.min <= to && own.max >= from)
      })
    },
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

/** The declared tables that the lake has files of. */
export function tablesWithFiles(rows: LakeRows): Table[] {
  return declaredTables.filter((table) => rows.filesOf(table).length > 0)
}

export function rowCount(files: readonly InventoryFile[]): number {
  return files.reduce((sum, { rows }) => sum + rows, 0)
}
