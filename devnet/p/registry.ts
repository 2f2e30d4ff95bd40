import type { CoinDraft, Wallet } from '../utxo/coins.ts'

/** An active stake. */
export type Stake = {
  readonly txId: Uint8Array
  readonly kind: 'validator' | 'delegator' | 'renewed'
  readonly nodeId: Uint8Array
  /** The validated subnet; the empty id is the primary network. */
  readonly subnetId: Uint8Array
  readonly asset: Uint8Array
  readonly amount: bigint
  /** Outputs that are returned at the end, at the indexes from `firstIndex` on. */
  readonly returned: readonly CoinDraft[]
  readonly firstIndex: number
  readonly start: number
  /** Unix seconds. For an auto-renewed validator, the end of its current period. */
  end: number
  readonly rewardWallet: Wallet
  readonly delegationWallet: Wallet
  /** The validator's part of a delegator's reward, in millionths. */
  readonly shares: number
  /** Rewards from delegations, paid when the validation ends (from Cortina on). */
  accrued: bigint
  /** The validation of a delegation; null for validations. */
  readonly validator: Stake | null
  /** Length of a period of an auto-renewed validator in seconds; 0 ends the stake with the current period. */
  period: number
  /** Who may change the configuration of the validator. */
  readonly authority: Wallet
}

export type Subnet = {
  readonly id: Uint8Array
  owner: Wallet
  /** Validators that the owner has added and their ends in Unix seconds. Some are removed earlier. */
  readonly validators: { readonly nodeId: Uint8Array; readonly end: number }[]
  /** The staked asset, once the subnet is transformed. */
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
  /** The wallet that gets the remaining balance and may disable the validator. */
  readonly wallet: Wallet
}

/** A blockchain that the P-Chain has created. */
export type CreatedChain = {
  readonly id: Uint8Array
  readonly name: string
  readonly subnetId: Uint8Array
  /** Height of the block that contains the transaction. */
  readonly height: number
}
