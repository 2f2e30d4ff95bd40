import { idText } from '../../../codec/cb58.ts'
import { sha256 } from '../../../codec/hash.ts'
import { txIdInBlock } from '../../../codec/ids.ts'
import { decodeExactly, decodeWithSpans } from '../../../codec/linear/index.ts'
import type { RecoverKey } from '../../../codec/secp256k1/recover-key.ts'
import { xCodec } from '../../../codec/x/codec.ts'
import type { XCredential } from '../../../schemas/x-credentials.ts'
import type { ChainContext, Container } from '../../model.ts'
import type { BlockRecord } from '../container-facts.ts'
import { signatureCells } from '../credentials.ts'
import { boundedNumber } from '../numbers.ts'
import { openBlock } from '../open-block.ts'
import { decoding } from '../open-container.ts'
import { timeOf } from '../times.ts'

type Rows = { credentials: XCredential[] }
/** Reads the signatures of the transactions of an X-Chain block. Throws `DecodeError` like `decodeXContainer`. */
type ReadCredentials = (record: BlockRecord, context: ChainContext) => Rows
/** Reads the signatures of a transaction of the legacy index. */
type ReadTransactionCredentials = (container: Container, context: ChainContext) => Rows

/** Creates a reader. With `recover` it also recovers the signers, which takes many times as long as `decodeXContainer`. */
export function createXCredentialReader(recover: RecoverKey | null): ReadCredentials {
  return (record, context) =>
    decoding(record, () => {
      const { bytes } = openBlock(record)
      const { value: block, spans } = decodeWithSpans(xCodec(context.fxs).block, bytes, 'block')
      const height = boundedNumber(block.height, 'block.height')
      const block_time = timeOf(block.time)
      const credentials = block.txs.flatMap((tx, i): XCredential[] => {
        const slice = bytes.subarray(spans[2 * i]!, spans[2 * i + 1]!)
        const place = { ...chainOf(context), height, block_time, tx_index: i, tx_id: idText(txIdInBlock(slice)) }
        const signed = { bytes: slice, hash: txIdInBlock, hrp: context.hrp }
        return signatureCells(tx.credentials, signed, recover).map((cells) => ({ ...place, ...cells }))
      })
      return { credentials }
    })
}

export function createXTransactionCredentialReader(recover: RecoverKey | null): ReadTransactionCredentials {
  return (container, context) =>
    decoding(container, () => {
      const { bytes } = container
      const tx = decodeExactly(xCodec(context.fxs).signedTx, bytes, 'transaction')
      const place = {
        ...chainOf(context),
        height: null,
        block_time: null,
        tx_index: null,
        tx_id: idText(sha256(bytes)),
      }
      const signed = { bytes, hash: sha256, hrp: context.hrp }
      const cells = signatureCells(tx.credentials, signed, recover)
      return { credentials: cells.map((each) => ({ ...place, ...each })) }
    })
}

function chainOf({ network, blockchainId }: ChainContext) {
  return { network, blockchain_id: blockchainId }
}

export const decodeXCredentials: ReadCredentials = createXCredentialReader(null)
export const decodeXTransactionCredentials: ReadTransactionCredentials = createXTransactionCredentialReader(null)
