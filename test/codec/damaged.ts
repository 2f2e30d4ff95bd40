import { expect } from 'vitest'
import { DecodeError } from '../../src/errors.ts'
import { mutated, seeded } from './mutations.ts'

/**
 * Damages the samples in turn. Each damaged sample must give a `DecodeError` with path and offset, or `again` must decode and encode
 * it to the same bytes. Returns the number of errors.
 */
export function damage(samples: readonly Uint8Array[], runs: number, again: (bytes: Uint8Array) => Uint8Array): number {
  const random = seeded(20_261_121)
  let errors = 0
  for (let i = 0; i < runs; i++) {
    const bytes = mutated(samples[i % samples.length]!, random)
    try {
      const encoded = again(bytes)
      if (Buffer.compare(encoded, bytes) !== 0) expect(encoded).toEqual(bytes)
    } catch (cause) {
      if (!(cause instanceof DecodeError)) throw cause
      expect(cause.details['path']).toBeTypeOf('string')
      expect(cause.details['offset']).toBeTypeOf('number')
      errors++
    }
  }
  return errors
}
