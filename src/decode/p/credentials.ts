import { idText } from '../../../codec/cb58.ts'
import { txIdInBlock } from '../../../codec/ids.ts'
import { decodeWithSpans } from '../../../codec/linear/index.ts'
import { pBlock } from '../../../codec/p/blocks.ts'
import type { RecoverKey } from '../../../codec/secp256k1/recover-key.ts'
import type { PCredential } from '../../../schemas/p-credentials.ts'
import type { ChainContext } from '../../model.ts'
import type { BlockRecord } from '../container-facts.ts'
import { signatureCells } from '../credentials.ts'
import { boundedNumber } from '../numbers.ts'
import { openBlock } from '../open-block.ts'
import { decoding } from '../open-container.ts'
import { timeOfBlock, transactionsOf } from './container.ts'

/** Reads the signatures of the transactions of a P-Chain block. Throws `DecodeError` like `decodePContainer`. */
type ReadCredentials = (record: BlockRecord, context: ChainContext) => { credentials: PCredential[] }

/** Creates a reader. With `recover` it also recovers the signers, which takes many times as long as `decodePContainer`. */
export function createPCredentialReader(recover: RecoverKey | null): ReadCredentials {
  return (record, context) =>
    decoding(record, () => {
      const { bytes, wrapper } = openBlock(record)
      const { value: block, spans } = decodeWithSpans(pBlock, bytes, 'block')
      const height = boundedNumber(block.height, 'block.height')
      const block_time = timeOfBlock(block, wrapper)
      const credentials = transactionsOf(block).flatMap((tx, i): PCredential[] => {
        const slice = bytes.subarray(spans[2 * i]!, spans[2 * i + 1]!)
        const place = { network: context.network, height, block_time, tx_index: i, tx_id: idText(txIdInBlock(slice)) }
        const signed = { bytes: slice, hash: txIdInBlock, hrp: context.hrp }
        return signatureCells(tx.credentials, signed, recover).map((cells) => ({ ...place, ...cells }))
      })
      return { credentials }
    })
}

export const decodePCredentials: ReadCredentials = createPCredentialReader(null)
