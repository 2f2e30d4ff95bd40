import type { Columns, PartitionKey, Table } from '../define/index.ts'
import { DefinitionError } from '../errors.ts'
import { refusedValue } from './refusal.ts'

export type Partition = readonly (string | null)[]

type Row = Readonly<Record<string, unknown>>

/**
 * Returns the partition of a row: one value for each key of `partitionBy`, null where the column is null. Consecutive rows of the same
 * partition get the same array, so that callers can compare by identity.
 */
export function createPartitioner(table: Table): (row: Row) => Partition {
  const keys = table.partitionBy.map((key) => ({ column: key.column, bucket: bucketOf(table, key) }))
  const known = new Map<string, Partition>()
  let last: Partition | null = null
  // Rows of a block share the same value, not only an equal one, so a comparison with `===` is cheap.
  const cells: unknown[] = keys.map(() => undefined)
  /** Whether a row belongs to the partition of the previous row. The check allocates nothing. */
  const isOf = (row: Row, partition: Partition): boolean => {
    for (let i = 0; i < keys.length; i++) {
      const { column, bucket } = keys[i]!
      const cell = row[column]
      if (cell === cells[i]) continue
      if (bucket(cell) !== partition[i]) return false
      cells[i] = cell
    }
    return true
  }
  return (row) => {
    if (last !== null && isOf(row, last)) return last
    const values = keys.map(({ column, bucket }) => bucket(row[column]))
    keys.forEach(({ column }, i) => {
      cells[i] = row[column]
    })
    const text = JSON.stringify(values)
    last = known.get(text) ?? values
    known.set(text, last)
    return last
  }
}

type Bucket = (value: unknown) => string | null

function bucketOf(table: Table, key: PartitionKey): Bucket {
  const column = `${table.name}.${key.column}`
  const kind = (table.columns as Columns)[key.column]?.type.kind
  if (key.transform === 'identity') {
    if (kind !== 'text' && kind !== 'int64')
      throw new DefinitionError(`${column} cannot name a partition: it is ${kind}.`)
    return (value) => (value === null ? null : String(value))
  }
  if (kind !== 'timestamp') throw new DefinitionError(`${column} cannot be cut by ${key.transform}: it is ${kind}.`)
  return calendarBucket(column, key.transform)
}

/** The UTC month or day of a time in microseconds. It remembers the span of the last answer, because times come in order. */
function calendarBucket(column: string, transform: 'month' | 'day'): Bucket {
  let from = 0n
  let to = 0n
  let text = ''
  return (value) => {
    if (value === null) return null
    if (typeof value !== 'bigint') throw refusedValue(column, value, 'microseconds since 1970 as bigint')
    if (value < from || value >= to) {
      const span = calendarSpan(value, transform)
      from = span.from
      to = span.to
      text = span.text
    }
    return text
  }
}

const dayMs = 86_400_000n

function calendarSpan(time: bigint, transform: 'month' | 'day'): { from: bigint; to: bigint; text: string } {
  const day = floorDivide(time, dayMs * 1000n)
  const date = new Date(Number(day * dayMs))
  if (Number.isNaN(date.getTime())) return { from: 0n, to: 0n, text: '' }
  const year = String(date.getUTCFullYear()).padStart(4, '0')
  const monthText = `${year}-${String(date.getUTCMonth() + 1).padStart(2, '0')}`
  if (transform === 'day') {
    const text = `${monthText}-${String(date.getUTCDate()).padStart(2, '0')}`
    return { from: day * dayMs * 1000n, to: (day + 1n) * dayMs * 1000n, text }
  }
  const first = date.setUTCDate(1)
  const next = date.setUTCMonth(date.getUTCMonth() + 1)
  return { from: BigInt(first) * 1000n, to: BigInt(next) * 1000n, text: monthText }
}

function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b
  return a % b < 0n ? quotient - 1n : quotient
}
