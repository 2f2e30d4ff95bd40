import { hash } from 'node:crypto'
import type { Column, Columns, ColumnType, Table } from '../define/index.ts'

/** What no version is compared by: when it was found, and the hash itself. */
const leftOut = ['observation_id', 'observed_at', 'version_hash', 'present']

/**
 * Hash of the content of a row: 32 hexadecimal digits of the sha256 of its values. Nulls are left out, so a column that is added later and
 * is null changes nothing; 5 and 5n are the same.
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
