import { hash } from 'node:crypto'
import type { Column, Columns, ColumnType, Table } from '../define/index.ts'

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
