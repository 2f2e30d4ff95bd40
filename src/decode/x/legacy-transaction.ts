import { idText } from '../../../codec/cb58.ts'
import { sha256 } from '../../../codec/hash.ts'
import { decodeExactly } from '../../../codec/linear/index.ts'
import { xCodec } from '../../../codec/x/codec.ts'
import type { ChainContext, Container } from '../../model.ts'
import { acceptedColumns } from '../container-facts.ts'
import { checkId, decoding } from '../open-container.ts'
import { mustBeOfNetwork } from '../stated-network.ts'
import type { XTransactionRows } from './place.ts'
import { addTransaction } from './transaction-rows.ts'

/**
 * Returns the rows of a container of X/tx, the index from before the X-Chain became linear: a signed transaction without a known block.
 * Throws `DecodeError` (facts: container, index, path, offset) if the id derived from the bytes differs, or if the bytes are not an X-Chain
 * transaction to the last byte.
 */
export function decodeXTransaction(container: Container, context: ChainContext): XTransactionRows {
  return decoding(container, () => {
    const txId = sha256(container.bytes)
    checkId(container, idText(txId))
    const tx = decodeExactly(xCodec(context.fxs).signedTx, container.bytes, 'transaction')
    mustBeOfNetwork(tx.unsignedTx, container, context, () => container.id)
    const rows: XTransactionRows = { transactions: [], inputs: [], outputs: [], assets: [], operations: [] }
    addTransaction(
      tx,
      {
        context,
        place: {
          network: context.network,
          blockchain_id: context.blockchainId,
          height: null,
          block_time: null,
          tx_index: null,
          tx_id: container.id,
        },
        txId,
        blockId: null,
        timestampSource: 'accepted',
        acceptedAt: acceptedColumns(container).accepted_at,
        containerIndex: container.index,
      },
      rows,
    )
    return rows
  })
}
