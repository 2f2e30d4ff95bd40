import type { PBlock } from '../../../schemas/p-blocks.ts'
import type { ChainContext } from '../../model.ts'

/**
 * The first columns of every row of a P-Chain transaction. Rows list each column: V8 creates a literal with a spread and dozens of
 * properties sixty times more slowly.
 */
type TransactionPlace = {
  readonly network: string
  readonly height: number
  readonly block_time: bigint | null
  readonly tx_index: number
  readonly tx_id: string
}

/** A transaction and what its rows need. */
export type TransactionSource = {
  readonly context: ChainContext
  readonly place: TransactionPlace
  /** The row of its block. */
  readonly block: PBlock
  /** The bytes of the signed transaction in its block. */
  readonly bytes: Uint8Array
  /** The 32 bytes of `place.tx_id`. */
  readonly txId: Uint8Array
  /** Path of the transaction in errors, such as `block.txs[0]`. */
  readonly path: string
}
