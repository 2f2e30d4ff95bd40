import type { XBlock } from '../../../schemas/x-blocks.ts'
import { idText } from '../../codec/cb58.ts'
import { sha256 } from '../../codec/hash.ts'
import { txIdInBlock } from '../../codec/ids.ts'
import { decodeWithSpans } from '../../codec/linear/index.ts'
import { xBlock } from '../../codec/x/blocks.ts'
import type { ChainContext, Container } from '../../model.ts'
import { acceptedColumns } from '../container-facts.ts'
import { boundedNumber } from '../numbers.ts'
import { decoding, openContainer } from '../open-container.ts'
import { mustBeOfNetwork } from '../stated-network.ts'
import { timeOf } from '../times.ts'
import { wrapperColumns } from '../wrapper-columns.ts'
import type { XTransactionRows } from './place.ts'
import { addTransaction } from './transaction-rows.ts'

export type XRows = { blocks: XBlock[] } & XTransactionRows

/**
 * The rows of a container of X/block, or of the block index of another instance of the X chain's virtual machine. Throws
 * `DecodeError` (facts: container, index, path, offset) when its bytes do not give its id or are no X block to the last
 * byte.
 */
export function decodeXContainer(container: Container, context: ChainContext): XRows {
  return decoding(container, () => rowsOf(container, context))
}

function rowsOf(container: Container, context: ChainContext): XRows {
  const wrapper = openContainer(container)
  const { value: block, spans } = decodeWithSpans(xBlock, wrapper.block, 'block')
  const { network, blockchainId } = context
  const blockId = idText(sha256(wrapper.block))
  const height = boundedNumber(block.height, 'block.height')
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
        ...wrapperColumns(container, wrapper),
      },
    ],
    transactions: [],
    inputs: [],
    outputs: [],
    assets: [],
    operations: [],
  }
  const { accepted_at } = acceptedColumns(container)
  block.txs.forEach((tx, i) => {
    const txId = txIdInBlock(wrapper.block.subarray(spans[2 * i]!, spans[2 * i + 1]!))
    mustBeOfNetwork(tx.unsignedTx, container, context, () => idText(txId))
    const place = { network, blockchain_id: blockchainId, height, block_time: blockTime, tx_index: i }
    addTransaction(
      tx,
      {
        context,
        place: { ...place, tx_id: idText(txId) },
        txId,
        blockId,
        timestampSource: 'block',
        acceptedAt: accepted_at,
        containerIndex: container.index,
      },
      rows,
    )
  })
  return rows
}
