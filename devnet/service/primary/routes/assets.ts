import type { Amount, Asset, Utxo } from '../ledger/model.ts'

export type Assets = ReadonlyMap<string, Asset>

/** AssetAmount (specification 2.1). Throws `RangeError` for an unknown asset. */
export function assetAmount(assets: Assets, { asset, amount }: Amount, type?: Asset['type']) {
  const known = assets.get(asset)
  if (known === undefined) throw new RangeError(`no asset ${asset}`)
  const { name, symbol, denomination } = known
  return { assetId: asset, name, symbol, denomination, type: type ?? known.type, amount: amount.toString() }
}

export function assetAmounts(assets: Assets, amounts: readonly Amount[]) {
  return amounts.map((each) => assetAmount(assets, each))
}

/** Sums by asset, in order of first appearance. Assets without an amount are omitted. */
export function sumsOf(amounts: readonly Amount[]): Amount[] {
  const sums = new Map<string, bigint>()
  for (const { asset, amount } of amounts) sums.set(asset, (sums.get(asset) ?? 0n) + amount)
  return [...sums].flatMap(([asset, amount]) => (amount === 0n ? [] : [{ asset, amount }]))
}

/** The positive differences of two lists of amounts, by asset. */
export function differenceOf(from: readonly Amount[], taken: readonly Amount[]): Amount[] {
  const negative = taken.map(({ asset, amount }) => ({ asset, amount: -amount }))
  return sumsOf([...from, ...negative]).filter(({ amount }) => amount > 0n)
}

/** UTXOs with amounts. Rights and tokens have none. */
export function coinsOf(utxos: readonly Utxo[]): Utxo[] {
  return utxos.filter(({ kind }) => kind === 'transfer')
}
