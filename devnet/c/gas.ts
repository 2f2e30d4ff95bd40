const leastGas = 21_000

/**
 * The gas that a transaction uses: the whole limit for a plain transfer, otherwise a fraction that the transaction hash determines. No code
 * is executed here, so fees follow from the bytes of the chain alone.
 */
export function gasUsedOf(limit: number, hash: Uint8Array): number {
  return limit === leastGas ? limit : Math.floor((limit * (40 + (hash[0]! % 60))) / 100)
}
