import type { ChainContext } from '../../model.ts'

/**
 * What every row of a P-chain transaction begins with. Rows name each column: V8 makes a literal that begins with a
 * spread and goes on with dozens of properties sixty times more slowly.
 */
export type TransactionPlace = {
  readonly network: string
  readonly height: number
  readonly block_time: bigint | null
  readonly tx_index: number
  readonly tx_id: string
}

/** A transaction on its way into rows. */
export type TransactionSource = {
  readonly context: ChainContext
  readonly place: TransactionPlace
  /** The 32 bytes of `place.tx_id`. */
  readonly txId: Uint8Array
  /** Path of the transaction in errors, such as `block.txs[0]`. */
  readonly path: string
}
