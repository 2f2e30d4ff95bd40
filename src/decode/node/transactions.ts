import { signedAtomicTx, type UnsignedAtomicTx } from '../../../codec/c/atomic-transactions.ts'
import { idText } from '../../../codec/cb58.ts'
import { decodeExactly } from '../../../codec/linear/index.ts'
import { xCodec } from '../../../codec/x/codec.ts'
import type { FxOrder } from '../../../codec/x/fxs.ts'
import type { UnsignedXTx } from '../../../codec/x/transactions.ts'
import type { NodeTransaction, nodeTransactions } from '../../../schemas/node-transactions.ts'
import type { Page, ReadingContext, Refusal } from '../../define/index.ts'
import { answerObject, finish, ignore, object, type Reading, raw, wrong } from '../json/fields.ts'
import { jsonText } from '../json/json-text.ts'
import { id, optionalCount, optionalId, optionalText, word } from '../json/value-fields.ts'
import { encodedBytes, mustBeOfBlockchain, mustHaveId } from './encoded-bytes.ts'
import { isNotFound, isUnknownMethod } from './refusals.ts'

type TransactionPage = Page<{ transactions: typeof nodeTransactions }>

/** A transaction requested by its id: of the X-Chain (`xvm`), or an atomic one of the C-Chain (`cx`). */
export type RequestedTransaction = {
  readonly network: string
  readonly blockchainId: string
  readonly txId: string
  readonly namespace: 'xvm' | 'cx'
  /** Equal to `fxs` in the `ChainContext` of the chain. */
  readonly fxs: FxOrder | null
}

/** The status and height that a node reports about a transaction. They are the token of the request for its content. */
type Standing = Pick<NodeTransaction, 'tx_status' | 'height'>

const nothing: TransactionPage = { rows: { transactions: [] }, items: [], next: null }

/** States that are not final. The next run requests the transaction again. */
const undecided = ['Processing', 'Unknown']
/** The chain has accepted the transaction, so its content can be requested. */
const accepted = 'Accepted'

/**
 * Reads the status of a transaction (xvm.getTxStatus, cx.getAtomicTxStatus; specification part 3). Returns no rows if the transaction is
 * undecided. If it is accepted, the next token requests its content.
 */
export function decodeTxStatus(requested: RequestedTransaction) {
  return (answer: unknown, context: ReadingContext): TransactionPage => {
    const at = answerObject(answer, 'answer', context)
    const standing: Standing = { tx_status: word(at, 'status'), height: heightOf(at) }
    finish(at)
    if (undecided.includes(standing.tx_status ?? '')) return nothing
    if (standing.tx_status === accepted) return { ...nothing, next: JSON.stringify(standing) }
    return onePage({ ...placeOf(requested), ...standing, tx_type: null, encoding: null, tx_bytes: null, tx_json: null })
  }
}

/**
 * If the node no longer supports the method, the content is requested without a status. If it does not have the transaction, the page is
 * empty.
 */
export function txStatusRefused(refusal: Refusal): TransactionPage | null {
  if (isUnknownMethod(refusal)) return { ...nothing, next: JSON.stringify({ tx_status: null, height: null }) }
  return isNotFound(refusal) ? nothing : null
}

/** Reads the content of a transaction (xvm.getTx, cx.getAtomicTx). `token` holds its status. */
export function decodeTx(requested: RequestedTransaction) {
  return (answer: unknown, context: ReadingContext, token?: string | null): TransactionPage => {
    const at = answerObject(answer, 'answer', context)
    const encoding = (optionalText(at, 'encoding') ?? 'hex').toLowerCase()
    const content = encoding === 'json' ? jsonContent(at, requested) : bytesContent(at, encoding, requested)
    const height = heightOf(at)
    finish(at)
    const known: Standing = token == null ? { tx_status: null, height: null } : JSON.parse(token)
    if (requested.namespace === 'cx' && known.tx_status === null && height === null) return nothing
    return onePage({
      ...placeOf(requested),
      tx_status: known.tx_status,
      height: height ?? known.height,
      ...content,
    })
  }
}

/** Returns an empty page if the node does not have the transaction, or has it no longer. The next run requests it again. */
export function txRefused(refusal: Refusal): TransactionPage | null {
  return isNotFound(refusal) ? nothing : null
}

function heightOf(at: Reading): number | null {
  return optionalCount(at, 'blockHeight')
}

function placeOf({ network, blockchainId, txId }: RequestedTransaction) {
  return { network, blockchain_id: blockchainId, tx_id: txId }
}

function onePage(row: NodeTransaction): TransactionPage {
  return { ...nothing, rows: { transactions: [row] } }
}

type Content = Pick<NodeTransaction, 'tx_type' | 'encoding' | 'tx_bytes' | 'tx_json'>

function unsignedIn(bytes: Uint8Array, { namespace, fxs }: RequestedTransaction): UnsignedXTx | UnsignedAtomicTx {
  if (namespace === 'cx') return decodeExactly(signedAtomicTx, bytes, 'tx').unsignedTx
  return decodeExactly(xCodec(fxs).signedTx, bytes, 'tx').unsignedTx
}

function bytesContent(at: Reading, encoding: string, requested: RequestedTransaction): Content {
  const { txId, blockchainId } = requested
  const bytes = encodedBytes(at, 'tx', encoding)
  mustHaveId(bytes, txId, 'transaction')
  const unsignedTx = unsignedIn(bytes, requested)
  mustBeOfBlockchain(idText(unsignedTx.blockchainID), blockchainId, txId)
  return { tx_type: unsignedTx.type, encoding: 'hex', tx_bytes: bytes, tx_json: null }
}

function jsonContent(at: Reading, { txId, blockchainId }: RequestedTransaction): Content {
  const json = object(at, 'tx', (tx) => {
    const stated = optionalId(tx, 'id')
    if (stated !== null && stated !== txId) throw wrong('tx.id', 'is not the requested one', stated)
    object(tx, 'unsignedTx', (unsigned) => {
      mustBeOfBlockchain(id(unsigned, 'blockchainID'), blockchainId, txId)
      ignore(unsigned, ...(Object.keys(unsigned.object) as [string, ...string[]]))
    })
    ignore(tx, ...(Object.keys(tx.object) as [string, ...string[]]))
    return jsonText(raw(at, 'tx'))
  })
  return { tx_type: null, encoding: 'json', tx_bytes: null, tx_json: json }
}
