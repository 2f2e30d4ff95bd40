/** The value that a node shows for a sum above 64 bits. */
const most = 2n ** 64n - 1n

/** Adds an amount to the sum of an asset. As in a node, the sum stops at the largest 64-bit number. */
export function addTo(sums: Map<string, bigint>, asset: string, amount: bigint): void {
  const sum = (sums.get(asset) ?? 0n) + amount
  sums.set(asset, sum > most ? most : sum)
}
