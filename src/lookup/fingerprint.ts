import type { Table } from '../define/index.ts'
import { sqlName } from '../lib/text/sql-quote.ts'
import { type KeyColumn, keyColumns, keyValues } from './key-text.ts'

/**
 * The fingerprint of a key, an integer below 2^53: the XOR of its numbers, its times and the last eight bytes of its texts, each rotated by a
 * different number of bits. Equal keys have equal fingerprints; different keys seldom do. Reading the complete texts of keys from files would
 * cost four times as much.
 */
export function fingerprintOf(table: Table): (key: string) => number {
  const columns = takenColumns(table)
  const bits: Bits = { low: 0, high: 0 }
  return (key) => {
    const values = keyValues(key)
    let low = 0
    let high = 0
    for (let at = 0; at < columns.length; at++) {
      const { position, kind, turn } = columns[at]!
      const text = values[position] ?? null
      if (text === null) continue
      if (kind === 'text') readLastBytes(text, bits)
      else readInteger(text, bits)
      turnLeft(bits, turn)
      low ^= bits.low
      high ^= bits.high
    }
    return (high & 0x1fffff) * 2 ** 32 + (low >>> 0)
  }
}

/** The fingerprint as an SQL expression of type DOUBLE. The table must have fingerprints. */
export function fingerprintSql(table: Table): string {
  const combined = takenColumns(table)
    .map((column) => `coalesce(${turnedSql(column)}, 0)`)
    .reduce((all, one) => `xor(${all}, ${one})`)
  return `(${combined} & ${2n ** 53n - 1n})::DOUBLE`
}

/** Whether the keys of a table have columns for fingerprints. */
export function hasFingerprints(table: Table): boolean {
  return takenColumns(table).length > 0
}

/** 64 bits as two halves. */
type Bits = { low: number; high: number }

type TakenColumn = {
  readonly name: string
  readonly kind: string
  /** Position in the key. */
  readonly position: number
  /** Left rotation in bits. It keeps small numbers of different columns apart. */
  readonly turn: number
}

/** The columns of the fingerprint. Partition columns are omitted, because all rows of a file have the same value. */
function takenColumns(table: Table): TakenColumn[] {
  const isTaken = ({ name, type }: KeyColumn): boolean =>
    ['text', 'int64', 'timestamp'].includes(type.kind) &&
    !table.partitionBy.some(({ transform, column }) => transform === 'identity' && column === name)
  return keyColumns(table)
    .map((column, position) => ({ ...column, position }))
    .filter(isTaken)
    .map(({ name, type, position }, at) => ({ name, kind: type.kind, position, turn: (29 * at) & 63 }))
}

function turnedSql(column: TakenColumn): string {
  const bits = bitsSql(column)
  const right = BigInt(64 - column.turn)
  if (right === 64n) return bits
  return `((${bits} & ${2n ** right - 1n}::UBIGINT) << ${column.turn}) | (${bits} >> ${right})`
}

function bitsSql({ name, kind }: TakenColumn): string {
  const column = sqlName(name)
  if (kind === 'timestamp') return `epoch_us(${column})::BIT::UBIGINT`
  if (kind === 'int64') return `${column}::BIT::UBIGINT`
  // DuckDB cannot convert an empty blob to bits.
  return `encode(nullif(${column}, ''))[-8:]::BIT::UBIGINT`
}

/** Parses an integer to its two's complement. */
function readInteger(text: string, into: Bits): void {
  if (text.length < 16) {
    const number = Number(text)
    into.low = number | 0
    into.high = Math.floor(number / 2 ** 32) | 0
    return
  }
  const bits = BigInt.asUintN(64, BigInt(text))
  into.low = Number(bits & 0xffffffffn) | 0
  into.high = Number(bits >> 32n) | 0
}

/** Reads the last eight UTF-8 bytes of a text; the last byte is the lowest. */
function readLastBytes(text: string, into: Bits): void {
  const { length } = text
  into.low = 0
  into.high = 0
  for (let back = 0; back < 8 && back < length; back++) {
    const code = text.charCodeAt(length - 1 - back)
    if (code > 127) {
      readLastOf(Buffer.from(text), into)
      return
    }
    if (back < 4) into.low |= code << (8 * back)
    else into.high |= code << (8 * (back - 4))
  }
}

function readLastOf(bytes: Uint8Array, into: Bits): void {
  const eight = Buffer.alloc(8)
  eight.set(bytes.subarray(-8), Math.max(0, 8 - bytes.length))
  into.low = eight.readInt32BE(4)
  into.high = eight.readInt32BE(0)
}

function turnLeft(bits: Bits, turn: number): void {
  const from = turn < 32 ? bits.low : bits.high
  const to = turn < 32 ? bits.high : bits.low
  const left = turn & 31
  bits.low = left === 0 ? from : (from << left) | (to >>> (32 - left))
  bits.high = left === 0 ? to : (to << left) | (from >>> (32 - left))
}
