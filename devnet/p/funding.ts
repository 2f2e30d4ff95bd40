import type { PTx, UnsignedPTx } from '../../codec/p.ts'
import { networkId, zeroId } from '../network/genesis.ts'
import type { CoinDraft, Wallet } from '../utxo/coins.ts'
import { type Funding, memoOf, signaturesOf, spendCoins } from '../utxo/funding.ts'
import { inputOf, outputOf } from './coins.ts'
import type { PState } from './state.ts'

type Credential = PTx['credentials'][number]
/** The first fields of most transactions. */
type BaseFields = Pick<
  Extract<UnsignedPTx, { type: 'BaseTx' }>,
  'networkID' | 'blockchainID' | 'outputs' | 'inputs' | 'memo'
>

/** A transaction that has no id yet. */
export type BuiltTx = {
  readonly unsignedTx: UnsignedPTx
  readonly credentials: readonly Credential[]
  /** Applies the accepted transaction to the state. */
  readonly accept: (txId: Uint8Array) => void
  /** Applies the abort of the proposal to the state; only for proposals. */
  readonly abort?: (txId: Uint8Array) => void
}

export type Funded = {
  readonly base: BaseFields
  readonly credentials: Credential[]
  /** The coins that the ordinary outputs become, by index. */
  readonly drafts: readonly CoinDraft[]
}

/** The base of a transaction that a wallet pays for; null if the wallet has not enough coins. */
export function fund(state: PState, funding: Funding): Funded | null {
  const spending = spendCoins(state, funding)
  if (spending === null) return null
  const { coins, drafts } = spending
  const base = {
    networkID: networkId,
    blockchainID: zeroId,
    outputs: drafts.map(outputOf),
    inputs: coins.map((coin) => inputOf(coin, state.chainTime)),
    memo: memoOf(state.network),
  }
  return { base, credentials: coins.map(({ wallet }) => credentialOf(state, wallet)), drafts }
}

/** The base of a transaction without inputs and outputs. Its fee is paid in another way. */
export function fundless({ network }: PState): Funded {
  const base = { networkID: networkId, blockchainID: zeroId, outputs: [], inputs: [], memo: memoOf(network) }
  return { base, credentials: [], drafts: [] }
}

export function credentialOf({ network }: PState, wallet: Wallet): Credential {
  return { type: 'secp256k1fx.Credential', signatures: signaturesOf(network, wallet) }
}
