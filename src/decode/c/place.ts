import type { ChainContext } from '../../model.ts'

/** The first columns of every row of a C-Chain block. */
export type CPlace = {
  readonly network: string
  readonly blockchain_id: string
  readonly block_number: number
  readonly block_time: bigint | null
}

/** An atomic transaction and what its rows need. */
export type AtomicSource = {
  readonly context: ChainContext
  readonly place: CPlace
  readonly txIndex: number
  /** The 32 bytes of the id; `txIdText` is its CB58 text. */
  readonly txId: Uint8Array
  readonly txIdText: string
}
