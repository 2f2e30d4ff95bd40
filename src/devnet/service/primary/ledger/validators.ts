import type { UtxoOwner } from './model.ts'

/** A validator of an L1 that has not ended. Weights and balances change; without a balance it is not active. */
export type L1Validator = {
  readonly validationId: string
  readonly validationIdHex: string
  readonly nodeId: string
  readonly subnetId: string
  readonly publicKey: string
  /** Unix seconds. */
  readonly start: number
  weight: bigint
  balance: bigint
  /** The least number that its next message about weight may have. */
  minNonce: bigint
  readonly remainingBalanceOwner: UtxoOwner
  readonly deactivationOwner: UtxoOwner
}

/** A validator that the owner of a subnet has added. Times in Unix seconds. */
export type PermissionedValidator = {
  readonly txId: string
  readonly nodeId: string
  readonly subnetId: string
  readonly start: number
  readonly end: number
  readonly weight: bigint
}
