import { idText } from '../../../codec/cb58.ts'
import { sha256 } from '../../../codec/hash.ts'
import { txIdInBlock } from '../../../codec/ids.ts'
import { decodeWithSpans } from '../../../codec/linear/index.ts'
import { type PBlockValue, pBlock } from '../../../codec/p/blocks.ts'
import type { PTx } from '../../../codec/p/transactions.ts'
import type { Wrapper } from '../../../codec/proposervm.ts'
import type { PBlock } from '../../../schemas/p-blocks.ts'
import type { PInput } from '../../../schemas/p-inputs.ts'
import type { POutput } from '../../../schemas/p-outputs.ts'
import type { PTransaction } from '../../../schemas/p-transactions.ts'
import type { PValidation } from '../../../schemas/p-validations.ts'
import type { ChainContext, Container, HeightBlock } from '../../model.ts'
import { boundedNumber } from '../numbers.ts'
import { blockAtHeight, blockInContainer, mustHaveHeight, type OpenBlock } from '../open-block.ts'
import { decoding } from '../open-container.ts'
import { mustBeOfNetwork } from '../stated-network.ts'
import { timeOf } from '../times.ts'
import { transactionRow } from './transaction-row.ts'
import { addTransfers } from './transfers.ts'
import { addValidations } from './validations.ts'

export type PRows = {
  blocks: PBlock[]
  transactions: PTransaction[]
  inputs: PInput[]
  outputs: POutput[]
  validations: PValidation[]
}

/**
 * Returns the rows of a container of P/block. Throws `DecodeError` (facts: container, index, path, offset) if the id derived from the bytes
 * differs, or if the bytes are not a P-Chain block to the last byte.
 */
export function decodePContainer(container: Container, context: ChainContext): PRows {
  return decoding(container, () => rowsOf(blockInContainer(container), context))
}

/** Like `decodePContainer`, for a block from platform.getBlockByHeight. Columns that only a wrapper or the index knows are null. */
export function decodePBlock(block: HeightBlock, context: ChainContext): PRows {
  return decoding(block, () => rowsOf(blockAtHeight(block), context))
}

function rowsOf({ record, bytes, wrapper, columns }: OpenBlock, context: ChainContext): PRows {
  const { value: block, spans } = decodeWithSpans(pBlock, bytes, 'block')
  const txs = transactionsOf(block)
  const height = boundedNumber(block.height, 'block.height')
  mustHaveHeight(record, height)
  const blockTime = timeOfBlock(block, wrapper)
  const blockRow: PBlock = {
    network: context.network,
    height,
    block_id: idText(sha256(bytes)),
    parent_id: idText(block.parentID),
    block_type: block.type,
    block_time: blockTime,
    tx_count: txs.length,
    container_id: columns.container_id,
    container_index: columns.container_index,
    accepted_at: columns.accepted_at,
    accepted_at_ns: columns.accepted_at_ns,
    wrapper: columns.wrapper,
    wrapper_parent_id: columns.wrapper_parent_id,
    wrapper_time: columns.wrapper_time,
    wrapper_p_height: columns.wrapper_p_height,
    proposer_node_id: columns.proposer_node_id,
    epoch_number: columns.epoch_number,
    epoch_start: columns.epoch_start,
    epoch_p_height: columns.epoch_p_height,
    byte_length: columns.byte_length,
  }
  const rows: PRows = { blocks: [blockRow], transactions: [], inputs: [], outputs: [], validations: [] }
  for (let i = 0; i < txs.length; i++) {
    const tx = txs[i]!
    const txBytes = bytes.subarray(spans[2 * i]!, spans[2 * i + 1]!)
    const txId = txIdInBlock(txBytes)
    const source = {
      context,
      place: { network: context.network, height, block_time: blockTime, tx_index: i, tx_id: idText(txId) },
      block: blockRow,
      bytes: txBytes,
      txId,
      path: 'tx' in block && i === txs.length - 1 ? 'block.tx' : `block.txs[${i}]`,
    }
    mustBeOfNetwork(tx.unsignedTx, record, context, () => source.place.tx_id)
    const transfers = addTransfers(tx.unsignedTx, source, rows.inputs, rows.outputs)
    rows.transactions.push(transactionRow(tx, source, transfers))
    addValidations(tx.unsignedTx, source, rows.validations)
  }
  return rows
}

/** Returns the transactions in the order of their bytes. The proposed transaction of a proposal block is last. */
export function transactionsOf(block: PBlockValue): readonly PTx[] {
  const txs = 'txs' in block ? block.txs : []
  return 'tx' in block ? [...txs, block.tx] : txs
}

/**
 * Returns the time of a block in microseconds: its own time since Banff, before that the time of its AdvanceTimeTx, otherwise the
 * wrapper's.
 */
export function timeOfBlock(block: PBlockValue, wrapper: Wrapper | null): bigint | null {
  if ('time' in block) return timeOf(block.time)
  if ('tx' in block && block.tx.unsignedTx.type === 'AdvanceTimeTx') return timeOf(block.tx.unsignedTx.time)
  return wrapper?.kind === 'block' || wrapper?.kind === 'granite' ? timeOf(wrapper.time) : null
}
