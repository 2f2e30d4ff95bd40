import { expect } from 'vitest'
import { decodeExactly, encode, type Schema } from '../../codec/linear.ts'
import { bytesOf, comparable, expectedOf } from './external-vectors.ts'

/** Decodes a vector, compares it with the expected value, and encodes it to the same bytes. */
export function checkVector(schema: Schema<any>, hex: string, expected: unknown): any {
  const bytes = bytesOf(hex)
  const value = decodeExactly(schema, bytes, 'vector')
  expect(comparable(value)).toEqual(expectedOf(expected))
  expect(Buffer.from(encode(schema, value)).toString('hex')).toBe(hex)
  return value
}
