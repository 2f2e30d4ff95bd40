import type { FxOrder } from '../../codec/fxs.ts'
import type { UnsignedXTx, XTx } from '../../codec/x.ts'
import type { Kind } from '../network/choose.ts'
import { networkId } from '../network/genesis.ts'
import {
  builderOf,
  type FundedBase,
  type Funding,
  memoOf,
  plainInputOf,
  plainOutputOf,
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

export type XFunded = FundedBase<BaseFields, XCredential>

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

/** Makes a transaction of the X-Chain that wallets pay for. */
export const builtX = builderOf<UnsignedXTx, BaseFields, XCredential>()

export function xCredentialOf(
  { network }: XState,
  wallet: Wallet,
  type: XCredential['type'] = 'secp256k1fx.Credential',
): XCredential {
  return { type, signatures: signaturesOf(network, wallet) }
}
