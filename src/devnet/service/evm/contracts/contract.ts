import type { Calldata } from './calldata.ts'

/** A token that an event moves; the zero address mints and burns. */
export type Move = {
  readonly from: string
  readonly to: string
  /** Null of an ERC-20. */
  readonly tokenId: bigint | null
  readonly value: bigint
}

/** What somebody lets another one move. */
export type Approval = { readonly owner: string; readonly spender: string; readonly value: bigint }

/** An event of a contract: its transfers, or an approval. */
export type Log = { readonly moves: readonly Move[]; readonly approval: Approval | null }

/** A token contract with its storage. */
export type Contract = {
  /** Applies a call; gives its events in order, or null when it reverts and nothing has changed. */
  call(sender: string, input: Calldata): readonly Log[] | null
}

/** The event of transfers. */
export function moved(moves: readonly Move[]): Log {
  return { moves, approval: null }
}

export const zeroAddress = '0x0000000000000000000000000000000000000000'
