import type { Owner, PInputValue, POutputValue, PTx, UnsignedPTx } from '../../codec/p.ts'
import type { Kind } from '../network/choose.ts'
import { networkId, zeroId } from '../network/genesis.ts'
import {
  builderOf,
  type Coin,
  type CoinDraft,
  type FundedBase,
  type Funding,
  memoOf,
  ownerFields,
  plainInputOf,
  plainOutputOf,
  signaturesOf,
  spendCoins,
  type Wallet,
} from '../network/wallets.ts'
import type { PState } from './state.ts'

/** A kind of transaction that users of the P-Chain send. */
export type TxKind = Kind<PState, BuiltTx>

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

export type Funded = FundedBase<BaseFields, Credential>

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

/** Makes a transaction of the P-Chain that wallets pay for. */
export const built = builderOf<UnsignedPTx, BaseFields, Credential>()

/** The same transaction, which another wallet also signs. */
export function signedAlso(state: PState, funded: Funded, wallet: Wallet): Funded {
  return { ...funded, credentials: [...funded.credentials, credentialOf(state, wallet)] }
}

export function credentialOf({ network }: PState, wallet: Wallet): Credential {
  return { type: 'secp256k1fx.Credential', signatures: signaturesOf(network, wallet) }
}

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
function inputOf(coin: Coin, now: number): PInputValue {
  const plain = plainInputOf(coin)
  if (coin.stakeableLocktime <= now) return plain
  return { ...plain, input: { type: 'stakeable.LockIn', locktime: BigInt(coin.stakeableLocktime), input: plain.input } }
}
