import type { CoinDraft, Wallet } from '../utxo/coins.ts'

/** A staking transaction that runs. */
export type Stake = {
  readonly txId: Uint8Array
  readonly kind: 'validator' | 'delegator' | 'renewed'
  readonly nodeId: Uint8Array
  /** The subnet that is validated; the empty id is the primary network. */
  readonly subnetId: Uint8Array
  readonly asset: Uint8Array
  readonly amount: bigint
  /** What comes back at the end, at the indexes from `firstIndex` on. */
  readonly returned: readonly CoinDraft[]
  readonly firstIndex: number
  readonly start: number
  /** Unix seconds; of an auto-renewed validator the end of its present period. */
  end: number
  readonly rewardWallet: Wallet
  readonly delegationWallet: Wallet
  /** Part of a delegator's reward that the validator gets, of 1,000,000. */
  readonly shares: number
  /** Rewards of delegations, paid when the validation ends (from Cortina on). */
  accrued: bigint
  /** The validation that a delegation belongs to. */
  readonly validator: Stake | null
  /** Seconds of a period of an auto-renewed validator; 0 ends it with the present one. */
  period: number
  /** Who may change its configuration. */
  readonly authority: Wallet
}

export type Subnet = {
  readonly id: Uint8Array
  owner: Wallet
  /** Validators added by its owner and when they end, to be removed earlier perhaps. */
  readonly validators: { readonly nodeId: Uint8Array; readonly end: number }[]
  /** The asset that is staked, once the subnet is transformed. */
  asset: Uint8Array | null
  readonly chainIds: Uint8Array[]
  /** Chain and contract that send messages about validators, once the subnet is an L1. */
  manager: { readonly chainId: Uint8Array; readonly address: Uint8Array } | null
}

export type L1Validator = {
  readonly validationId: Uint8Array
  readonly subnet: Subnet
  balance: bigint
  weight: bigint
  nonce: bigint
  /** Who gets what remains of the balance, and who may disable it. */
  readonly wallet: Wallet
}

/** A blockchain that the P chain has created. */
export type CreatedChain = {
  readonly id: Uint8Array
  readonly name: string
  readonly subnetId: Uint8Array
  /** Height of the block with its transaction. */
  readonly height: number
}
