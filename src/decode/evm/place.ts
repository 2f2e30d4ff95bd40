/** What every row of a block begins with. */
export type EvmPlace = {
  readonly network: string
  readonly chain_id: string
  readonly block_number: number
  readonly block_time: bigint | null
}

/** And every row of one of its transactions. */
export type EvmTransactionPlace = EvmPlace & {
  readonly transaction_index: number
  readonly transaction_hash: string
}
