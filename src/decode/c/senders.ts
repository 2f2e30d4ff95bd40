import type { CSender } from '../../../schemas/c-senders.ts'
import { evmSender } from '../../codec/c/senders.ts'
import type { ChainContext, Container } from '../../model.ts'
import { decoding } from '../open-container.ts'
import { hexText, repeatedAddressText } from '../texts.ts'
import { openCBlock } from './open-block.ts'

/**
 * The senders of the EVM transactions of a container of C/block, recovered from their signatures: a hundred times the work
 * of `decodeCContainer`. Throws `DecodeError` as that does, and for a signature that no key can have made.
 */
export function decodeCSenders(container: Container, context: ChainContext): { senders: CSender[] } {
  return decoding(container, () => {
    const { block, transactionHashes, place } = openCBlock(container, context)
    const senders = block.transactions.map((tx, i) => ({
      network: place.network,
      blockchain_id: place.blockchain_id,
      block_number: place.block_number,
      block_time: place.block_time,
      transaction_index: i,
      transaction_hash: hexText(transactionHashes[i]!),
      from_address: repeatedAddressText(evmSender(tx)),
    }))
    return { senders }
  })
}
