import type { HashedCBlock } from '../../../codec/c.ts'
import type { CHeader } from '../../../codec/evm/header.ts'
import type { EvmResult } from '../../service/evm/state.ts'
import { data, quantity } from './hex.ts'
import { transactionJson } from './transaction-json.ts'

export type BlockJson = Readonly<Record<string, unknown>> & { readonly transactions: readonly unknown[] }

/** A block as eth_getBlockByNumber returns it, with full transactions. `length`: size of the block in bytes. */
export function blockJson(hashed: HashedCBlock, length: number, results: readonly EvmResult[]): BlockJson {
  const { block, transactionHashes } = hashed
  const hash = data(hashed.hash)
  const number = quantity(block.header.number)
  return {
    ...headerJson(block.header),
    blockExtraData: data(block.extData),
    hash,
    size: quantity(length),
    // Each block adds a difficulty of 1.
    totalDifficulty: number,
    transactions: block.transactions.map((tx, at) => {
      const position = { blockHash: hash, blockNumber: number, transactionIndex: quantity(at) }
      return transactionJson(tx, data(transactionHashes[at]!), position, results[at]!)
    }),
    uncles: [],
  }
}

/** The same block with the hashes of its transactions only. */
export function withHashes(block: BlockJson): BlockJson {
  return { ...block, transactions: block.transactions.map((tx) => (tx as { hash: string }).hash) }
}

/** All header fields of the era, by name. */
function headerJson(header: CHeader): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {}
  for (const [name, value] of Object.entries(header))
    if (value !== null) fields[name] = typeof value === 'bigint' ? quantity(value) : data(value)
  return fields
}
