import type { Dialect } from '../../../index/methods.ts'
import { nativeAssetText } from '../../../network/genesis.ts'
import type { Reward } from '../ledger/model.ts'
import { type Assets, assetAmount } from './assets.ts'

export const currencies = [
  'usd',
  'eur',
  'aud',
  'cad',
  'chf',
  'clp',
  'cny',
  'czk',
  'dkk',
  'gbp',
  'hkd',
  'huf',
  'jpy',
  'nzd',
] as const
type Currency = (typeof currencies)[number]

/** A paid reward (specification 2.9). Only the native asset has a price. */
export function rewardShape(assets: Assets, { utxo, stake, tx }: Reward, currency: Currency, dialect: Dialect): object {
  const amount = assetAmount(assets, utxo)
  const price = priceAt(tx.place.time, currency)
  const historicalPrice = { currencyCode: currency, value: dialect === 'spec' ? String(price) : price }
  return {
    addresses: utxo.owner.addresses,
    txHash: utxo.txId,
    amountStaked: stake.amount.toString(),
    nodeId: stake.nodeId,
    startTimestamp: stake.tx.place.time,
    endTimestamp: stake.end,
    rewardType: utxo.rewardType,
    utxoId: utxo.id,
    outputIndex: utxo.index,
    reward: utxo.asset === nativeAssetText ? { ...amount, historicalPrice } : amount,
    rewardTxHash: tx.txId,
  }
}

/** Hundredths of the currency per US dollar. */
const rates: Readonly<Record<Currency, number>> = {
  usd: 100,
  eur: 92,
  aud: 152,
  cad: 137,
  chf: 88,
  clp: 93_500,
  cny: 718,
  czk: 2_310,
  dkk: 688,
  gbp: 79,
  hkd: 781,
  huf: 36_000,
  jpy: 15_100,
  nzd: 166,
}

/** The price of the day in the currency: 15 to 25 US dollars, converted; `time` in Unix seconds. */
function priceAt(time: number, currency: Currency): number {
  const cents = 1_500 + ((Math.floor(time / 86_400) * 37) % 1_000)
  return Math.round((cents * rates[currency]) / 100) / 100
}
