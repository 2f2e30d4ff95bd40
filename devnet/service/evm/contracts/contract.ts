import type { Calldata } from './calldata.ts'

/** A token movement of an event. The zero address stands for minting and burning. */
type Move = {
  readonly from: string
  readonly to: string
  /** Null for an ERC-20. */
  readonly tokenId: bigint | null
  readonly value: bigint
}

/** A permission of an owner for a spender to move tokens. */
type Approval = { readonly owner: string; readonly spender: string; readonly value: bigint }

/** An event of a contract: its transfers, or an approval. */
export type Log = { readonly moves: readonly Move[]; readonly approval: Approval | null }

/** A token contract with its storage. */
export type Contract = {
  /** Applies a call and returns its events in order. Returns null if the call reverts and changes nothing. */
  call(sender: string, input: Calldata): readonly Log[] | null
}

/** An event with transfers. */
export function moved(moves: readonly Move[]): Log {
  return { moves, approval: null }
}

export const zeroAddress = '0x0000000000000000000000000000000000000000'
