import {
  DuckDBArrayValue,
  DuckDBBlobValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  type DuckDBValue,
} from '@duckdb/node-api'

/**
 * A value of a query's answer. A whole number is a number where that is exact, and the text of its digits otherwise. Decimals are text.
 * Times with a zone are `2026-11-21T10:35:00.123456Z`; times without one have no `Z`. Blobs are `0x` hex. All other types are as DuckDB
 * prints them.
 */
export type Cell = null | boolean | number | string | readonly Cell[] | { readonly [name: string]: Cell }

export function cellOf(value: DuckDBValue): Cell {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (typeof value === 'bigint') return wholeNumber(value)
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

function wholeNumber(value: bigint): number | string {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : String(value)
}

function isoTime(value: DuckDBTimestampTZValue | DuckDBTimestampValue, zone: string): string {
  const { micros } = value
  const milliseconds = micros >= 0n ? micros / 1000n : (micros - 999n) / 1000n
  const date = new Date(Number(milliseconds))
  if (Number.isNaN(date.getTime())) return value.toString()
  const fraction = String(micros - milliseconds * 1000n).padStart(3, '0')
  return `${date.toISOString().slice(0, -1)}${fraction}${zone}`
}
