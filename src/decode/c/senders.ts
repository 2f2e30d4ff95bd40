import { evmSender } from '../../../codec/c/senders.ts'
import { type RecoverKey, recoverPublicKey } from '../../../codec/secp256k1/index.ts'
import type { CSender } from '../../../schemas/c-senders.ts'
import type { ChainContext, Container } from '../../model.ts'
import { decoding } from '../open-container.ts'
import { hexText, repeatedAddressText } from '../texts.ts'
import { openCBlock } from './open-block.ts'

/** Reads the senders of the EVM transactions of a container of C/block. Throws `DecodeError` like `decodeCContainer`. */
type ReadSenders = (container: Container, context: ChainContext) => { senders: CSender[] }

/**
 * Creates a reader that recovers senders from signatures. This takes many times as long as `decodeCContainer`. Throws `DecodeError` for a
 * signature that no key can have made.
 */
export function createSenderReader(recover: RecoverKey): ReadSenders {
  return (container, context) =>
    decoding(container, () => {
      const { block, transactionBytes, transactionHashes, place } = openCBlock(container, context)
      const senders = block.transactions.map((tx, i) => ({
        network: place.network,
        blockchain_id: place.blockchain_id,
        block_number: place.block_number,
        block_time: place.block_time,
        transaction_index: i,
        transaction_hash: hexText(transactionHashes[i]!),
        from_address: repeatedAddressText(evmSender(tx, transactionBytes[i], recover)),
      }))
      return { senders }
    })
}

export const decodeCSenders: ReadSenders = createSenderReader(recoverPublicKey)
