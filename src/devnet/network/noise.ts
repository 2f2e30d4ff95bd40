import type { Random } from './random.ts'

const poolSize = 1 << 16

/**
 * Bytes that stand for signatures, keys and ids of elsewhere: segments of one random pool, which costs a tenth of
 * fresh ones and does not compress either.
 */
export type Noise = (length: number) => Uint8Array

export function createNoise(random: Random): Noise {
  const pool = random.bytes(poolSize)
  return (length) => {
    const from = random.below(poolSize - length)
    return pool.subarray(from, from + length)
  }
}
