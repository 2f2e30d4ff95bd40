import type { Owner, PInputValue, POutputValue } from '../../codec/p.ts'
import { type Coin, type CoinDraft, ownerFields, plainInputOf, plainOutputOf, type Wallet } from '../utxo/coins.ts'

/** A wallet as an owner in transactions. */
export function ownerOf(wallet: Wallet): Owner {
  return { type: 'secp256k1fx.OutputOwners', ...ownerFields(wallet) }
}

export function outputOf(draft: CoinDraft): POutputValue {
  const plain = plainOutputOf(draft)
  if (draft.stakeableLocktime === 0) return plain
  const locktime = BigInt(draft.stakeableLocktime)
  return { assetID: draft.asset, output: { type: 'stakeable.LockOut', locktime, output: plain.output } }
}

/** The input that spends a coin. A stakeable lock that has expired is spent as a plain coin. */
export function inputOf(coin: Coin, now: number): PInputValue {
  const plain = plainInputOf(coin)
  if (coin.stakeableLocktime <= now) return plain
  return { ...plain, input: { type: 'stakeable.LockIn', locktime: BigInt(coin.stakeableLocktime), input: plain.input } }
}
