import type { HashedCBlock } from '../../../codec/c.ts'
import { createdAddress } from '../../../codec/evm/state-diffs.ts'
import { bloomOf } from '../../../codec/keccak.ts'
import type { EvmResult } from '../../service/evm/state.ts'
import { data, quantity } from './hex.ts'
import { writtenBy } from './log-json.ts'
import { type Position, typeOf } from './transaction-json.ts'

/** A log as receipts and filters return it. */
export type LogJson = {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
  readonly blockNumber: string
  readonly transactionHash: string
  readonly transactionIndex: string
  readonly blockHash: string
  readonly logIndex: string
  readonly removed: boolean
}

export type ReceiptJson = Readonly<Record<string, unknown>> & {
  readonly transactionHash: string
  readonly logs: readonly LogJson[]
}

/** The receipts of a block, as eth_getBlockReceipts returns them. */
export function receiptsJson(
  { block, hash, transactionHashes }: HashedCBlock,
  results: readonly EvmResult[],
): ReceiptJson[] {
  let cumulative = 0
  let logIndex = 0
  return block.transactions.map((tx, at) => {
    const result = results[at]!
    const position: Position & { transactionHash: string } = {
      blockHash: data(hash),
      blockNumber: quantity(block.header.number),
      transactionHash: data(transactionHashes[at]!),
      transactionIndex: quantity(at),
    }
    const logs = logsJson(result, position, logIndex)
    logIndex += logs.length
    cumulative += result.gasUsed
    return {
      ...position,
      contractAddress: tx.to === null ? createdAddress(result.sender, tx.nonce) : null,
      cumulativeGasUsed: quantity(cumulative),
      effectiveGasPrice: quantity(result.price),
      from: result.sender,
      gasUsed: quantity(result.gasUsed),
      logs,
      logsBloom: data(bloomOf(logs.flatMap(({ address, topics }) => [address, ...topics]))),
      status: result.succeeded ? '0x1' : '0x0',
      to: tx.to === null ? null : data(tx.to),
      type: typeOf(tx),
    }
  })
}

function logsJson(
  { called, sender }: EvmResult,
  position: Position & { transactionHash: string },
  first: number,
): LogJson[] {
  if (called === null) return []
  return called.logs.map((log, at) => ({
    address: called.token.address,
    ...writtenBy(called.token.standard, log, sender),
    blockNumber: position.blockNumber,
    transactionHash: position.transactionHash,
    transactionIndex: position.transactionIndex,
    blockHash: position.blockHash,
    logIndex: quantity(first + at),
    removed: false,
  }))
}
