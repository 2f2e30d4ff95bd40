import type { Account } from './state.ts'

export type AccessList = readonly (readonly [address: Uint8Array, keys: readonly Uint8Array[]])[]

/** What a transaction does. Its gas and fees are not part of it. */
export type Call = {
  /** The account that has to send it; null if any account that can pay may send it. */
  readonly from: Account | null
  /** Address of the called contract or receiver; null creates a contract. */
  readonly to: Uint8Array | null
  /** Sent value in wei. */
  readonly value: bigint
  readonly gas: number
  readonly input: Uint8Array
  readonly accessList: AccessList
  /** Called when the call has become a transaction. */
  readonly done: () => void
}
