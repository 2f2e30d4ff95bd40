import { hash } from 'node:crypto'
import {
  type Column,
  type Columns,
  type ColumnType,
  identityColumns,
  type RowsOf,
  type Table,
  type Tables,
} from '../define/index.ts'
import { DefinitionError } from '../errors.ts'
import { sqlName } from '../lib/text.ts'

/** The text for null. Equal texts are escaped. */
const nullText = '\\N'

/**
 * The key of a row as text: the values of the table's identity columns (see `identityColumns`), separated by `|`. Different keys have
 * different texts. `keySql` produces the same text.
 */
export function keyText(table: Table, names: readonly string[] = identityColumns(table)): (row: object) => string {
  const columns = keyColumns(table, names).map(({ name, type }) => ({ name, textOf: textOf(type) }))
  const partOf = (row: object, { name, textOf: valueText }: (typeof columns)[number]): string => {
    const value = (row as Record<string, unknown>)[name] ?? null
    return value === null ? nullText : valueText(value)
  }
  const [first] = columns
  if (columns.length === 1) return (row) => partOf(row, first!)
  // A joined text is one string, while texts that are added keep each of their parts (measured: a third of the memory of known keys).
  return (row) => columns.map((column) => partOf(row, column)).join('|')
}

export function keySql(table: Table, names: readonly string[] = identityColumns(table)): string {
  return keyColumns(table, names)
    .map(({ name, type }) => `coalesce(${valueSql(type, sqlName(name))}, '${nullText}')`)
    .join(" || '|' || ")
}

/** Columns of a table. Their types must have the same text in JavaScript and SQL. */
function keyColumns(table: Table, names: readonly string[]): { readonly name: string; readonly type: ColumnType }[] {
  return names.map((name) => {
    const { type } = table.columns[name] as Column
    const single = ['text', 'int64', 'decimal', 'timestamp', 'boolean', 'blob'].includes(type.kind)
    if (single || isTextList(type)) return { name, type }
    throw new DefinitionError(`The type of column ${table.name}.${name} cannot be part of a key.`, {
      details: { type: type.kind },
    })
  })
}

function isTextList(type: ColumnType): boolean {
  return type.kind === 'list' && type.item.type.kind === 'text' && !type.item.nullable
}

function textOf(type: ColumnType): (value: unknown) => string {
  if (type.kind === 'text') return (value) => escaped(value as string)
  if (type.kind === 'list') return (value) => escaped(listText(value as string[]))
  if (type.kind === 'blob')
    return (value) =>
      Buffer.from(value as Uint8Array)
        .toString('hex')
        .toUpperCase()
  return String
}

/** Adds a comma after each item, so that an empty list differs from a list with an empty item. */
function listText(items: readonly string[]): string {
  return items.map((item) => `${item.replaceAll('\\', '\\\\').replaceAll(',', '\\,')},`).join('')
}

function listTextSql(name: string): string {
  const items = `[replace(replace(item, '\\', '\\\\'), ',', '\\,') || ',' FOR item IN ${name}]`
  return `CASE WHEN ${name} IS NOT NULL THEN coalesce(array_to_string(${items}, ''), '') END`
}

function valueSql(type: ColumnType, name: string): string {
  if (type.kind === 'text') return `replace(replace(${name}, '\\', '\\\\'), '|', '\\|')`
  if (type.kind === 'list') return `replace(replace(${listTextSql(name)}, '\\', '\\\\'), '|', '\\|')`
  if (type.kind === 'blob') return `hex(${name})`
  if (type.kind === 'timestamp') return `epoch_us(${name})::VARCHAR`
  return `${name}::VARCHAR`
}

function escaped(text: string): string {
  return text.includes('\\') || text.includes('|') ? text.replaceAll('\\', '\\\\').replaceAll('|', '\\|') : text
}

/** Columns that are not part of the version: the observation, and the hash itself. */
const leftOut = ['observation_id', 'observed_at', 'version_hash', 'present']

/**
 * Hash of the content of a row: the first 32 hexadecimal digits of the SHA-256 of its values. Nulls are omitted, so that a new column with
 * null does not change the hash. 5 and 5n are equal.
 */
export function versionHash(table: Table): (row: object) => string {
  const columns = Object.entries(table.columns as Columns).filter(
    ([name]) => !leftOut.includes(name) && !table.notCompared.includes(name),
  )
  const content = structText(columns)
  return (row) => hash('sha256', content(row), 'hex').slice(0, 32)
}

type TextOf = (value: any) => string

function structText(columns: readonly (readonly [string, Column])[]): TextOf {
  const fields = columns.map(([name, { type }]) => ({ name, textOf: valueText(type) }))
  return (row) => {
    let text = '{'
    for (const { name, textOf } of fields) {
      const value = row[name] ?? null
      if (value !== null) text += `${name}:${textOf(value)},`
    }
    return `${text}}`
  }
}

function valueText(type: ColumnType): TextOf {
  switch (type.kind) {
    case 'text':
      return JSON.stringify
    case 'blob':
      return (value) => Buffer.from(value).toString('hex')
    case 'list': {
      const itemText = valueText(type.item.type)
      return (items) => `[${items.map((item: unknown) => (item === null ? 'null' : itemText(item))).join(',')}]`
    }
    case 'struct':
      return structText(Object.entries(type.fields))
    default:
      return String
  }
}

/** Sets the hashes for the comparison of versions in the given rows. */
export function versionHashes(tables: Tables): (rows: RowsOf<Tables>) => RowsOf<Tables> {
  const versioned = Object.entries(tables).filter(([, { history }]) => history === 'versions')
  const hashes = versioned.map(([name, table]) => ({ name, hashOf: versionHash(table) }))
  return (rows) => {
    for (const { name, hashOf } of hashes)
      for (const row of rows[name] as { version_hash: string }[]) row.version_hash = hashOf(row)
    return rows
  }
}
