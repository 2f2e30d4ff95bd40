import { idText } from '../../../codec/cb58.ts'
import { sha256 } from '../../../codec/hash.ts'
import { txIdInBlock } from '../../../codec/ids.ts'
import { decodeWithSpans } from '../../../codec/linear/index.ts'
import { xCodec } from '../../../codec/x/codec.ts'
import type { XBlock } from '../../../schemas/x-blocks.ts'
import type { ChainContext, Container, HeightBlock } from '../../model.ts'
import { boundedNumber } from '../numbers.ts'
import { blockAtHeight, blockInContainer, mustHaveHeight, type OpenBlock } from '../open-block.ts'
import { decoding } from '../open-container.ts'
import { mustBeOfNetwork } from '../stated-network.ts'
import { timeOf } from '../times.ts'
import type { XTransactionRows } from './place.ts'
import { addTransaction } from './transaction-rows.ts'

export type XRows = { blocks: XBlock[] } & XTransactionRows

/**
 * Returns the rows of a container of X/block, or of the block index of another chain of the asset VM. Throws `DecodeError` (facts:
 * container, index, path, offset) if the id derived from the bytes differs, or if the bytes are not an X-Chain block to the last byte.
 */
export function decodeXContainer(container: Container, context: ChainContext): XRows {
  return decoding(container, () => rowsOf(blockInContainer(container), context))
}

/** Like `decodeXContainer`, for a block from xvm.getBlockByHeight. Columns that only a wrapper or the index knows are null. */
export function decodeXBlock(block: HeightBlock, context: ChainContext): XRows {
  return decoding(block, () => rowsOf(blockAtHeight(block), context))
}

function rowsOf({ record, bytes, columns }: OpenBlock, context: ChainContext): XRows {
  const { value: block, spans } = decodeWithSpans(xCodec(context.fxs).block, bytes, 'block')
  const { network, blockchainId } = context
  const blockId = idText(sha256(bytes))
  const height = boundedNumber(block.height, 'block.height')
  mustHaveHeight(record, height)
  const blockTime = timeOf(block.time)
  const rows: XRows = {
    blocks: [
      {
        network,
        blockchain_id: blockchainId,
        height,
        block_id: blockId,
        parent_id: idText(block.parentID),
        block_time: blockTime,
        merkle_root: idText(block.merkleRoot),
        tx_count: block.txs.length,
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
      },
    ],
    transactions: [],
    inputs: [],
    outputs: [],
    assets: [],
    operations: [],
  }
  for (let i = 0; i < block.txs.length; i++) {
    const tx = block.txs[i]!
    const txId = txIdInBlock(bytes.subarray(spans[2 * i]!, spans[2 * i + 1]!))
    mustBeOfNetwork(tx.unsignedTx, record, context, () => idText(txId))
    const source = {
      context,
      place: {
        network,
        blockchain_id: blockchainId,
        height,
        block_time: blockTime,
        tx_index: i,
        tx_id: idText(txId),
      },
      txId,
      blockId,
      timestampSource: 'block',
      acceptedAt: columns.accepted_at,
      containerIndex: columns.container_index,
    } as const
    addTransaction(tx, source, rows)
  }
  return rows
}
