import fc from 'fast-check'
import { expect } from 'vitest'
import { decodeExactly, encode, type Schema } from '../../codec/linear.ts'
import { runs } from '../runs.ts'
import { valuesOf } from './arbitrary.ts'

/** Expects that any value of a schema is decoded from its bytes unchanged, and encoded to the same bytes again. */
export function roundTrip(schema: Schema<any>, times: number): void {
  fc.assert(
    fc.property(valuesOf(schema), (value) => {
      const bytes = encode(schema, value)
      const decoded = decodeExactly(schema, bytes, 'value')
      expect(decoded).toEqual(value)
      expect(encode(schema, decoded)).toEqual(bytes)
    }),
    { numRuns: runs(times) },
  )
}
