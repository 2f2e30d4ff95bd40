import { hash } from 'node:crypto'
import { type Column, type ColumnType, identityColumns, type Table } from '../define/index.ts'
import { DefinitionError } from '../errors.ts'
import { sqlName } from '../lib/text/sql-quote.ts'

/** The text for null. Equal texts are escaped. */
export const nullText = '\\N'

/**
 * The key of a row as text: the values of the table's identity columns (see `identityColumns`), separated by `|`. Different keys have
 * different texts. `keySql` produces the same text, and `keyValues` parses it.
 */
export function keyText(table: Table, names: readonly string[] = identityColumns(table)): (row: object) => string {
  const columns = keyColumns(table, names).map(({ name, type }) => ({ name, textOf: textOf(type) }))
  return (row) => {
    let text = ''
    for (let i = 0; i < columns.length; i++) {
      const { name, textOf: valueText } = columns[i] as (typeof columns)[number]
      const value = (row as Record<string, unknown>)[name] ?? null
      const part = value === null ? nullText : valueText(value)
      text = i === 0 ? part : `${text}|${part}`
    }
    return text
  }
}

/** The key text as an SQL expression over the columns of the table; `alias` qualifies them. */
export function keySql(table: Table, names: readonly string[] = identityColumns(table), alias?: string): string {
  const qualified = (name: string): string => (alias === undefined ? sqlName(name) : `${alias}.${sqlName(name)}`)
  return keyColumns(table, names)
    .map(({ name, type }) => `coalesce(${valueSql(type, qualified(name))}, '${nullText}')`)
    .join(" || '|' || ")
}

/** Digest of the values of some columns of a row, to compare it with rows of the lake. `digestSql` produces the same. */
export function rowDigest(table: Table, names: readonly string[]): (row: object) => string {
  const text = keyText(table, names)
  return (row) => hash('md5', text(row), 'hex')
}

/** The digest as an SQL expression; see `rowDigest`. */
export function digestSql(table: Table, names: readonly string[], alias: string): string {
  return names.length === 0 ? `md5('')` : `md5(${keySql(table, names, alias)})`
}

/** The values of the columns of a key, as texts. */
export function keyValues(key: string): (string | null)[] {
  // Most keys have no nulls and no escapes.
  if (!key.includes('\\')) return key.split('|')
  if (!/\\[\\|]/.test(key)) return key.split('|').map((text) => (text === nullText ? null : text))
  const values = `|${key}`.match(/\|(?:[^\\|]|\\.)*/gs) ?? []
  return values.map((value) => (value === `|${nullText}` ? null : value.slice(1).replace(/\\(.)/gs, '$1')))
}

/** A column that is part of the identity of a row. */
export type KeyColumn = { readonly name: string; readonly type: ColumnType; readonly nullable: boolean }

/** Columns of a table, by default its identity columns. Their types must have the same text in JavaScript and SQL. */
export function keyColumns(table: Table, names: readonly string[] = identityColumns(table)): KeyColumn[] {
  return names.map((name) => {
    const { type, nullable } = table.columns[name] as Column
    const single = ['text', 'int64', 'decimal', 'timestamp', 'boolean', 'blob'].includes(type.kind)
    if (single || isTextList(type)) return { name, type, nullable }
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

/** SQL expression that parses the text of a list. */
export function listSql(text: string): string {
  const items = `regexp_extract_all(${text}, '(?s)((?:[^\\\\,]|\\\\.)*),', 1)`
  return `[regexp_replace(item, '(?s)\\\\(.)', '\\1', 'g') FOR item IN ${items}]`
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
