import type { Account } from './state.ts'

export type AccessList = readonly (readonly [address: Uint8Array, keys: readonly Uint8Array[]])[]

/** What a transaction does, without how it is paid. */
export type Call = {
  /** Who has to send it; null: anybody who can pay. */
  readonly from: Account | null
  /** Null creates a contract. */
  readonly to: Uint8Array | null
  /** In wei. */
  readonly value: bigint
  readonly gas: number
  readonly input: Uint8Array
  readonly accessList: AccessList
  /** Called when the call has become a transaction. */
  readonly done: () => void
}
