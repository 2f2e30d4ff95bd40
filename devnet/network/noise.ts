import type { Random } from './random.ts'

const poolSize = 1 << 16

/**
 * Random bytes for signatures, keys and foreign ids: slices of one random pool. They cost a tenth of new random bytes, and do not compress
 * either.
 */
export type Noise = (length: number) => Uint8Array

export function createNoise(random: Random): Noise {
  const pool = random.bytes(poolSize)
  return (length) => {
    const from = random.below(poolSize - length)
    return pool.subarray(from, from + length)
  }
}
