/**
 * A deterministic sequence of numbers (xoshiro128**, seeded by splitmix32): the content of the simulated network depends on its seed alone.
 */
export type Random = {
  /** An integer in `[0, 2^32)`. */
  uint32(): number
  /** An integer in `[0, limit)`; `limit` is at most 2^32. */
  below(limit: number): number
  /** An integer in `[low, high]`. */
  between(low: number, high: number): number
  /** True with the probability 1 in `times`. */
  oneIn(times: number): boolean
  pick<T>(items: readonly T[]): T
  bytes(length: number): Uint8Array
}

export function createRandom(seed: number): Random {
  let mix = seed >>> 0
  const splitmix = (): number => {
    mix = (mix + 0x9e3779b9) >>> 0
    let z = mix
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad)
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97)
    return (z ^ (z >>> 15)) >>> 0
  }
  let [a, b, c, d] = [splitmix(), splitmix(), splitmix(), splitmix()]
  const rotate = (x: number, k: number): number => (x << k) | (x >>> (32 - k))
  const uint32 = (): number => {
    const result = Math.imul(rotate(Math.imul(b, 5), 7), 9) >>> 0
    const t = b << 9
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= t
    d = rotate(d, 11)
    return result
  }
  const below = (limit: number): number => Math.floor((uint32() / 0x1_0000_0000) * limit)
  return {
    uint32,
    below,
    between: (low, high) => low + below(high - low + 1),
    oneIn: (times) => below(times) === 0,
    pick: (items) => items[below(items.length)]!,
    bytes: (length) => {
      const out = new Uint8Array(length)
      for (let at = 0; at < length; at += 4) {
        const word = uint32()
        for (let k = 0; k < 4 && at + k < length; k += 1) out[at + k] = (word >>> (8 * k)) & 0xff
      }
      return out
    },
  }
}

/** A separate random sequence for a part of the network: its draws do not change other sequences. */
export function branchOf(seed: number, name: string): Random {
  return createRandom((seed ^ (name.charCodeAt(0) << 24)) >>> 0)
}

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
