/** The first columns of every row of a block. */
export type EvmPlace = {
  readonly network: string
  readonly chain_id: string
  readonly block_number: number
  readonly block_time: bigint | null
}

/** The first columns of every row of a transaction. */
export type EvmTransactionPlace = EvmPlace & {
  readonly transaction_index: number
  readonly transaction_hash: string
}
