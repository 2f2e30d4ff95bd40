import type { Wallet } from '../coins.ts'
import type { EraName } from '../eras.ts'
import type { BuiltTx } from '../funding.ts'
import type { ChainState } from '../state.ts'

/** A sort of transaction that users send, with how often and when. */
export type TxKind = {
  readonly type: string
  readonly since: EraName
  /** The era that does not accept it any more. */
  readonly until?: EraName
  /** How often it comes, against the weights of the others. */
  readonly weight: number
  /** Builds one out of the state; null when the state does not allow it now. */
  readonly build: (state: ChainState) => BuiltTx | null
}

/** A wallet that does something. */
export function someWallet(state: ChainState): Wallet {
  return state.random.pick(state.wallets)
}

/** An amount of the native asset, most of them small: between 0.1 and about 10,000 whole ones. */
export function someAmount(state: ChainState): bigint {
  const scale = 10n ** BigInt(state.random.between(8, 12))
  return scale + BigInt(state.random.below(9_000)) * (scale / 1000n)
}
