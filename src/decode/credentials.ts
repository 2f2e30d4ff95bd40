import { decodeExtData } from '../../codec/c.ts'
import { fxIdOfType } from '../../codec/fxs.ts'
import { ripemd160, sha256 } from '../../codec/hash.ts'
import { addressText, idText, txIdInBlock } from '../../codec/ids.ts'
import { decodeExactly, decodeWithSpans } from '../../codec/linear.ts'
import { pBlock } from '../../codec/p.ts'
import type { RecoverKey } from '../../codec/secp256k1.ts'
import { xCodec } from '../../codec/x.ts'
import type { cCredentials } from '../../schemas/c-chain.ts'
import type { pCredentials } from '../../schemas/p-chain.ts'
import type { xCredentials } from '../../schemas/x-chain.ts'
import type { RowOf } from '../define/index.ts'
import type { ChainContext, Container } from '../model.ts'
import { openCBlock } from './c/rows.ts'
import { type BlockRecord, decoding, openBlock } from './containers.ts'
import { timeOfBlock, transactionsOf } from './p/rows.ts'
import { boundedNumber, hexText, timeOf } from './values.ts'

type Credential = { readonly type: string; readonly signatures: readonly Uint8Array[] }

/** The transaction that the credentials sign. */
type SignedBytes = {
  /** With its credentials, as inside a block or as a whole transaction. */
  readonly bytes: Uint8Array
  /** Returns the sha256 of the signed bytes. `unsigned` is the transaction without its credentials. */
  readonly hash: (unsigned: Uint8Array) => Uint8Array
  readonly hrp: string
}

/** Length of a signature in bytes: r and s, 32 bytes each, and the parity of the y coordinate of the point of r. */
const signatureLength = 65

/** The length in bytes of the credentials after an unsigned transaction: their number, and of each its type id, its number and signatures. */
function credentialsLength(credentials: readonly Credential[]): number {
  return credentials.reduce((sum, { signatures }) => sum + 8 + signatures.length * signatureLength, 4)
}

/**
 * Returns the compressed public key that signed `hash`, the sha256 of an unsigned transaction. Null if no key can have made the signature.
 */
function signerKey(hash: Uint8Array, signature: Uint8Array, recover: RecoverKey): Uint8Array | null {
  const parity = signature[64]
  if (parity !== 0 && parity !== 1) return null
  const key = recover(hash, signature.subarray(0, 64), parity)
  if (key === null) return null
  const compressed = new Uint8Array(33)
  compressed[0] = 2 + (key[63]! & 1)
  compressed.set(key.subarray(0, 32), 1)
  return compressed
}

/** Returns a cell for each signature, in the order of the credentials. Without `recover`, public keys and addresses are null. */
function signatureCells(
  credentials: readonly Credential[],
  { bytes, hash, hrp }: SignedBytes,
  recover: RecoverKey | null,
) {
  const unsigned = bytes.subarray(0, bytes.length - credentialsLength(credentials))
  const signed = recover === null || credentials.length === 0 ? null : hash(unsigned)
  return credentials.flatMap(({ type, signatures }, credential) =>
    signatures.map((signature, position) => {
      const key = signed === null || recover === null ? null : signerKey(signed, signature, recover)
      return {
        credential_index: credential,
        signature_index: position,
        fx_id: fxIdOfType(type),
        // A copy, because a view would send the whole container to the writer thread.
        signature: signature.slice(),
        public_key: key === null ? null : hexText(key),
        address: key === null ? null : addressText(hrp, ripemd160(sha256(key))),
      }
    }),
  )
}

/** Returns a row for each signature of the transactions of a block. `spans` are the places of their bytes. */
function rowsOfBlock<P extends object>(
  place: P,
  txs: readonly { readonly credentials: readonly Credential[] }[],
  { bytes, spans }: { readonly bytes: Uint8Array; readonly spans: ArrayLike<number> },
  hrp: string,
  recover: RecoverKey | null,
) {
  return txs.flatMap((tx, i) => {
    const slice = bytes.subarray(spans[2 * i]!, spans[2 * i + 1]!)
    const ofTx = { tx_index: i, tx_id: idText(txIdInBlock(slice)), ...place }
    const cells = signatureCells(tx.credentials, { bytes: slice, hash: txIdInBlock, hrp }, recover)
    return cells.map((each) => ({ ...ofTx, ...each }))
  })
}

/**
 * Creates a reader of the signatures of the transactions of a P-Chain block. With `recover` it also recovers the signers, which takes many
 * times as long as `decodePContainer`. It throws `DecodeError` like that.
 */
export function createPCredentialReader(recover: RecoverKey | null) {
  return (record: BlockRecord, context: ChainContext): { credentials: RowOf<typeof pCredentials>[] } =>
    decoding(record, () => {
      const { bytes, opened } = openBlock(record)
      const { value: block, spans } = decodeWithSpans(pBlock, bytes, 'block')
      const height = boundedNumber(block.height, 'block.height')
      const place = { network: context.network, height, block_time: timeOfBlock(block, opened) }
      return { credentials: rowsOfBlock(place, transactionsOf(block), { bytes, spans }, context.hrp, recover) }
    })
}

type XRows = { credentials: RowOf<typeof xCredentials>[] }

/** The same for an X-Chain block. */
export function createXCredentialReader(recover: RecoverKey | null) {
  return (record: BlockRecord, context: ChainContext): XRows =>
    decoding(record, () => {
      const { bytes } = openBlock(record)
      const { value: block, spans } = decodeWithSpans(xCodec(context.fxs).block, bytes, 'block')
      const height = boundedNumber(block.height, 'block.height')
      const place = { ...chainOf(context), height, block_time: timeOf(block.time) }
      return { credentials: rowsOfBlock(place, block.txs, { bytes, spans }, context.hrp, recover) }
    })
}

/** The same for a transaction of the legacy index. */
export function createXTransactionCredentialReader(recover: RecoverKey | null) {
  return (container: Container, context: ChainContext): XRows =>
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
      const cells = signatureCells(tx.credentials, { bytes, hash: sha256, hrp: context.hrp }, recover)
      return { credentials: cells.map((each) => ({ ...place, ...each })) }
    })
}

function chainOf({ network, blockchainId }: ChainContext) {
  return { network, blockchain_id: blockchainId }
}

/** The same for the atomic transactions of a container of C/block. */
export function createCCredentialReader(recover: RecoverKey | null) {
  return (container: Container, context: ChainContext): { credentials: RowOf<typeof cCredentials>[] } =>
    decoding(container, () => {
      const { block, place } = openCBlock(container, context)
      const { txs, txBytes, txIds } = decodeExtData(block.extData, 'block.extData')
      const credentials = txs.flatMap((tx, i) => {
        const signed = { bytes: txBytes[i]!, hash: txIdInBlock, hrp: context.hrp }
        const ofTx = { tx_index: i, tx_id: idText(txIds[i]!), ...place }
        return signatureCells(tx.credentials, signed, recover).map((cells) => ({ ...ofTx, ...cells }))
      })
      return { credentials }
    })
}
