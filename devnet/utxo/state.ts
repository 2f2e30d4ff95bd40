import type { TimeQueue } from '../network/heap.ts'
import type { NetworkState } from '../network/state.ts'
import type { Coin, Wallet } from './coins.ts'

/** The common state of the P-Chain and the X-Chain: coins in wallets. */
export type UtxoState = {
  readonly network: NetworkState
  /** The wallets of the network's holders on this chain, in the same order. */
  readonly wallets: readonly Wallet[]
  /** Coins that their owners cannot sign for yet, ordered by unlock time. */
  readonly maturing: TimeQueue<Coin>
  /** The chain's time in Unix seconds. */
  chainTime: number
}

export function someWallet({ network, wallets }: UtxoState): Wallet {
  return network.random.pick(wallets)
}

/** An amount of the native asset in nAVAX, usually small: between 0.1 and about 10,000 AVAX. */
export function someAmount({ random }: NetworkState): bigint {
  const scale = 10n ** BigInt(random.between(8, 12))
  return scale + BigInt(random.below(9_000)) * (scale / 1000n)
}
