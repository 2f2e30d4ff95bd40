/** What a sum that passes 64 bits is shown as. */
const most = 2n ** 64n - 1n

/** Adds an amount to that of an asset; a node stops at the largest number that it can hold. */
export function addTo(sums: Map<string, bigint>, asset: string, amount: bigint): void {
  const sum = (sums.get(asset) ?? 0n) + amount
  sums.set(asset, sum > most ? most : sum)
}
