import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dataPath } from '../external-data.ts'

export type Vector = {
  readonly name: string
  readonly kind: string
  readonly hex: string
  readonly network?: string
  readonly expected: any
}

/** All vectors of the given kinds, from all files. */
export function vectorsOf(...kinds: string[]): Vector[] {
  const folder = dataPath('vectors')
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json') && file !== 'index.json')
    .flatMap((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Vector[])
    .filter((vector) => kinds.includes(vector.kind))
}

/** The bytes of a vector, as a view that does not begin at 0 of its buffer: offsets must not depend on it. */
export function bytesOf(hex: string): Uint8Array {
  const padded = Buffer.concat([Buffer.from('ffff', 'hex'), Buffer.from(hex.replace(/^0x/, ''), 'hex')])
  return new Uint8Array(padded.buffer, padded.byteOffset + 2, padded.length - 2)
}

/** A decoded value as the vectors write it, without type names: bytes as hex, u64 as text. */
export function comparable(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  if (Array.isArray(value)) return value.map(comparable)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== 'type')
      .map(([name, field]) => [name, comparable(field)]),
  )
}

/** The expected value of a vector, without type names and `0x`. */
export function expectedOf(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/^0x/, '')
  if (Array.isArray(value)) return value.map(expectedOf)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== '_t')
      .map(([name, field]) => [name, expectedOf(field)]),
  )
}
