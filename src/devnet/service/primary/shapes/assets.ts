import type { Amount, Asset, Utxo } from '../ledger/model.ts'

export type Assets = ReadonlyMap<string, Asset>

/** AssetAmount (specification 2.1). Throws `RangeError` for an asset that does not exist. */
export function assetAmount(assets: Assets, { asset, amount }: Amount, type?: Asset['type']) {
  const known = assets.get(asset)
  if (known === undefined) throw new RangeError(`no asset ${asset}`)
  const { name, symbol, denomination } = known
  return { assetId: asset, name, symbol, denomination, type: type ?? known.type, amount: amount.toString() }
}

export function assetAmounts(assets: Assets, amounts: readonly Amount[]) {
  return amounts.map((each) => assetAmount(assets, each))
}

/** Sums by asset, in the order in which assets come first; assets without an amount are left out. */
export function sumsOf(amounts: readonly Amount[]): Amount[] {
  const sums = new Map<string, bigint>()
  for (const { asset, amount } of amounts) sums.set(asset, (sums.get(asset) ?? 0n) + amount)
  return [...sums].flatMap(([asset, amount]) => (amount === 0n ? [] : [{ asset, amount }]))
}

/** What is left of some amounts after others have been taken away, where it is more than nothing. */
export function differenceOf(from: readonly Amount[], taken: readonly Amount[]): Amount[] {
  const negative = taken.map(({ asset, amount }) => ({ asset, amount: -amount }))
  return sumsOf([...from, ...negative]).filter(({ amount }) => amount > 0n)
}

/** UTXOs that hold money: rights and tokens are no amounts. */
export function coinsOf(utxos: readonly Utxo[]): Utxo[] {
  return utxos.filter(({ kind }) => kind === 'transfer')
}
