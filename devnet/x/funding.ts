import type { FxOrder } from '../../codec/fxs.ts'
import type { UnsignedXTx, XTx } from '../../codec/x.ts'
import type { Kind } from '../network/choose.ts'
import { networkId } from '../network/genesis.ts'
import {
  type CoinDraft,
  type Funding,
  memoOf,
  plainInputOf,
  plainOutputOf,
  produce,
  signaturesOf,
  spendCoins,
  type Wallet,
} from '../network/wallets.ts'
import type { XState } from './state.ts'

/** A kind of transaction that users of the X-Chain send. */
export type XKind = Kind<XState, BuiltXTx> & {
  /** Feature extensions that the chain must have in addition to secp256k1; default none. */
  readonly fxs?: FxOrder
}

export type XCredential = XTx['credentials'][number]

/** A transaction that has no id yet. */
export type BuiltXTx = {
  readonly unsignedTx: UnsignedXTx
  readonly credentials: readonly XCredential[]
  /** Applies the accepted transaction to the state. */
  readonly accept: (txId: Uint8Array) => void
}

type BaseFields = Omit<Extract<UnsignedXTx, { type: 'BaseTx' }>, 'type'>

/** The fields of each type of transaction other than those of its base. */
type OwnFields<Tx> = Tx extends unknown ? Omit<Tx, keyof BaseFields> : never

export type XFunded = {
  readonly base: BaseFields
  readonly credentials: readonly XCredential[]
  /** The coins that the ordinary outputs become, by index. */
  readonly drafts: readonly CoinDraft[]
}

/** The base of a transaction that a wallet pays for; null if the wallet has not enough coins. */
export function fundX(state: XState, funding: Funding): XFunded | null {
  const spending = spendCoins(state, funding)
  if (spending === null) return null
  const { coins, drafts } = spending
  const base = {
    networkID: networkId,
    blockchainID: state.chain.id,
    outputs: drafts.map(plainOutputOf),
    inputs: coins.map(plainInputOf),
    memo: memoOf(state.network),
  }
  return { base, credentials: coins.map(({ wallet }) => xCredentialOf(state, wallet)), drafts }
}

/** The base of a transaction without inputs and outputs. Its fee is paid in another way. */
export function fundlessX({ network, chain }: XState): XFunded {
  const base = { networkID: networkId, blockchainID: chain.id, outputs: [], inputs: [], memo: memoOf(network) }
  return { base, credentials: [], drafts: [] }
}

/** A transaction that wallets pay for. When it is accepted, its ordinary outputs become coins; `then` applies the rest to the state. */
export function builtX(
  state: XState,
  { base, credentials, drafts }: XFunded,
  own: OwnFields<UnsignedXTx>,
  then: (txId: Uint8Array) => void = () => {},
): BuiltXTx {
  const accept = (txId: Uint8Array): void => {
    produce(state, txId, drafts)
    then(txId)
  }
  return { unsignedTx: { ...base, ...own } as UnsignedXTx, credentials, accept }
}

export function xCredentialOf(
  { network }: XState,
  wallet: Wallet,
  type: XCredential['type'] = 'secp256k1fx.Credential',
): XCredential {
  return { type, signatures: signaturesOf(network, wallet) }
}
