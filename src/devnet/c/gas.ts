const leastGas = 21_000

/**
 * Gas that a transaction uses of its limit: all of what a plain transfer has, of others a share that their hash stands for.
 * Nothing is executed here, so that fees follow from the bytes of the chain alone.
 */
export function gasUsedOf(limit: number, hash: Uint8Array): number {
  return limit === leastGas ? limit : Math.floor((limit * (40 + (hash[0]! % 60))) / 100)
}
