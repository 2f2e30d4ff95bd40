import { decodeExtData } from '../../../codec/c/atomic-transactions.ts'
import { idText } from '../../../codec/cb58.ts'
import type { CBlock } from '../../../schemas/c-blocks.ts'
import type { CTransaction } from '../../../schemas/c-transactions.ts'
import type { ChainContext, Container } from '../../model.ts'
import { decoding } from '../open-container.ts'
import { mustBeOfNetwork, mustBeSignedFor } from '../stated-network.ts'
import { type AtomicRows, addAtomicTransaction } from './atomic-transaction.ts'
import { blockRow } from './block-row.ts'
import { transactionRows } from './evm-transactions.ts'
import { openCBlock } from './open-block.ts'

export type CRows = { blocks: CBlock[]; transactions: CTransaction[] } & AtomicRows

/**
 * Returns the rows of a container of C/block. Throws `DecodeError` (facts: container, index, path, offset) if the id derived from the bytes
 * differs, if the bytes are not a C-Chain block to the last byte, or if a header field or a kind of transaction is unknown.
 */
export function decodeCContainer(container: Container, context: ChainContext): CRows {
  return decoding(container, () => {
    const opened = openCBlock(container, context)
    const { txs, txIds } = decodeExtData(opened.block.extData, 'block.extData')
    const rows: CRows = {
      blocks: [blockRow(container, opened, txs.length)],
      transactions: transactionRows(opened),
      atomicTransactions: [],
      atomicInputs: [],
      atomicOutputs: [],
    }
    for (const { signed_chain_id, transaction_hash } of rows.transactions)
      mustBeSignedFor(signed_chain_id, container, context, transaction_hash)
    txs.forEach((tx, txIndex) => {
      const txId = txIds[txIndex]!
      mustBeOfNetwork(tx.unsignedTx, container, context, () => idText(txId))
      addAtomicTransaction(tx, { context, place: opened.place, txIndex, txId, txIdText: idText(txId) }, rows)
    })
    return rows
  })
}
