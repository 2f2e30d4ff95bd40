import { decodeExtData } from '../../../codec/c/atomic-transactions.ts'
import { idText } from '../../../codec/cb58.ts'
import { txIdInBlock } from '../../../codec/ids.ts'
import type { RecoverKey } from '../../../codec/secp256k1/recover-key.ts'
import type { CCredential } from '../../../schemas/c-credentials.ts'
import type { ChainContext, Container } from '../../model.ts'
import { signatureCells } from '../credentials.ts'
import { decoding } from '../open-container.ts'
import { openCBlock } from './open-block.ts'

/** Reads the signatures of the atomic transactions of a container of C/block. Throws `DecodeError` like `decodeCContainer`. */
type ReadCredentials = (container: Container, context: ChainContext) => { credentials: CCredential[] }

/** Creates a reader. With `recover` it also recovers the signers, which takes much longer. */
export function createCCredentialReader(recover: RecoverKey | null): ReadCredentials {
  return (container, context) =>
    decoding(container, () => {
      const { block, place } = openCBlock(container, context)
      const { txs, txBytes, txIds } = decodeExtData(block.extData, 'block.extData')
      const credentials = txs.flatMap((tx, i): CCredential[] => {
        const signed = { bytes: txBytes[i]!, hash: txIdInBlock, hrp: context.hrp }
        const ofTx = { ...place, tx_index: i, tx_id: idText(txIds[i]!) }
        return signatureCells(tx.credentials, signed, recover).map((cells) => ({ ...ofTx, ...cells }))
      })
      return { credentials }
    })
}

export const decodeCCredentials: ReadCredentials = createCCredentialReader(null)
