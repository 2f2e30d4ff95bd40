import type { ChainContext } from '../../model.ts'

/** What every row of a C-chain block begins with. */
export type CPlace = {
  readonly network: string
  readonly blockchain_id: string
  readonly block_number: number
  readonly block_time: bigint | null
}

/** An atomic transaction on its way into rows. */
export type AtomicSource = {
  readonly context: ChainContext
  readonly place: CPlace
  readonly txIndex: number
  /** 32 bytes, and their text. */
  readonly txId: Uint8Array
  readonly txIdText: string
}
