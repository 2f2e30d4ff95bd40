import type { UtxoOwner } from './model.ts'

/** A validator of an L1 that has not ended. Its weight and balance (nAVAX) change; it is inactive without a balance. */
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
  /** The smallest allowed nonce of its next weight message. */
  minNonce: bigint
  readonly remainingBalanceOwner: UtxoOwner
  readonly deactivationOwner: UtxoOwner
}

/** A validator that the owner of a subnet has added. Times are in Unix seconds. */
export type PermissionedValidator = {
  readonly txId: string
  readonly nodeId: string
  readonly subnetId: string
  readonly start: number
  readonly end: number
  readonly weight: bigint
  /** The transaction by which the owner removed it, and its time; null if there is none. */
  removal: { readonly txId: string; readonly time: number } | null
}
