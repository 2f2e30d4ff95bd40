import { signedAtomicTx } from '../../../codec/c.ts'
import type { FxOrder } from '../../../codec/fxs.ts'
import { bytesOfCheckedHex, CheckedHexError, sha256 } from '../../../codec/hash.ts'
import { idText } from '../../../codec/ids.ts'
import { decodeExactly } from '../../../codec/linear.ts'
import { pBlock } from '../../../codec/p.ts'
import { xCodec } from '../../../codec/x.ts'
import type { nodeBlocks, nodeHealth, nodeHealthReports, nodeTransactions } from '../../../schemas/node-state.ts'
import type { NodeGetAnswer, Page, ReadingContext, Refusal, RowOf } from '../../define/index.ts'
import { DecodeError, OtherSourceError } from '../../errors.ts'
import { rfc3339ToNs } from '../../lib/time.ts'
import {
  answerObject,
  count,
  finish,
  flag,
  id,
  ignore,
  object,
  optionalCount,
  optionalId,
  optionalInt64,
  optionalText,
  optionalU64,
  pathOf,
  type Reading,
  raw,
  text,
  word,
  wrong,
} from '../json/fields.ts'
import { jsonText } from '../json/kinds.ts'
import { boundedNumber, timeOf } from '../values.ts'

type NodeBlock = RowOf<typeof nodeBlocks>

/** Values of rows that answers do not state: the network, and the `subject` in the table observations. */
export type NodePlace = { readonly network: string; readonly subject: string }

/** The place of rows about a subnet. */
export type SubnetPlace = NodePlace & { readonly subnet_id: string }

/**
 * Throws `DecodeError` for a list that leaves out what each node lists, such as an empty one: it would be a complete observation without the
 * rest.
 */
export function mustList(isListed: boolean, field: string, what: string, list: unknown): void {
  if (!isListed) throw wrong(field, `leaves out ${what}, which each node lists`, list)
}

/** Returns whether the node does not have the requested object. Another node may have it, or this one may have it later. */
export function isNotFound(refusal: Refusal): boolean {
  // The X-Chain and C-Chain report unknown transactions as a nil transaction id.
  return !isUnknownMethod(refusal) && /\bnot found$|^nil transaction ID$/.test(refusal.message)
}

/** Returns whether the node does not know the method, or the server in front of it does not allow it. */
export function isUnknownMethod({ code, message }: Refusal): boolean {
  return [methodNotFound, methodNotSupported].includes(code) || unknownWords.test(message)
}

export const methodNotFound = -32601
/** EIP-1474. */
const methodNotSupported = -32004
const unknownWords =
  /can't find (service|method)|request ill-formed|\bmethod\b.*\b(not (supported|available|found|allowed)|unsupported|does not exist)|\bunsupported method\b/i

/**
 * Returns bytes that a node wrote as hex, followed by the last four bytes of their sha256 (`hex`, `hexc`) or not (`hexnc`). Throws
 * `DecodeError` with `path` if the checksum is wrong.
 */
export function bytesOfHex(hex: string, path: string, encoding: string): Uint8Array {
  if (!/^0x([0-9a-f]{2})*$/i.test(hex)) throw wrong(path, 'is no hexadecimal text', hex)
  if (encoding === 'hexnc') return new Uint8Array(Buffer.from(hex.slice(2), 'hex'))
  try {
    return bytesOfCheckedHex(hex).slice()
  } catch (cause) {
    if (cause instanceof CheckedHexError) throw wrong(path, cause.message, hex)
    throw cause
  }
}

function mustHaveId(bytes: Uint8Array, id: string, what: string): void {
  const derived = idText(sha256(bytes))
  if (derived !== id) throw otherThanRequested(what, id, derived)
}

/** Returns the `DecodeError` about an answer with another object than requested. */
export function otherThanRequested(what: string, requested: string, given: string): DecodeError {
  return new DecodeError(`The node answers with another ${what} than the requested one.`, {
    code: 'decode.field',
    details: { requested, given },
    hint: 'Nothing of this unit was written. The answer was damaged on the way, or the node is wrong: try another one.',
  })
}

function mustBeOfBlockchain(stated: string, requested: string, txId: string): void {
  if (stated === requested) return
  throw new OtherSourceError(`Transaction ${txId} is of another chain than the requested one.`, {
    details: { 'blockchain stated': stated, 'blockchain requested': requested },
    hint: 'Nothing of this unit was written. The node serves another chain under this path: check --node-url.',
  })
}

/** The requested report of a node, and the kind of request. */
export type HealthReport = NodePlace & {
  readonly endpoint: 'root' | 'health' | 'readiness' | 'liveness'
  readonly transport: 'get' | 'rpc'
  /** Sorted. */
  readonly tags: readonly string[]
}

type HealthPage = Page<{ reports: typeof nodeHealthReports; checks: typeof nodeHealth }>
type Common = Omit<RowOf<typeof nodeHealth>, keyof ReturnType<typeof checkCells> | 'check_name'>

/** Reads a report on the health of a node (specification 2.3 and 4.4). A GET has the HTTP status of the report; a call always has 200. */
export function decodeHealth({ network, subject, endpoint, transport, tags }: HealthReport) {
  return (answer: unknown, context: ReadingContext): HealthPage => {
    const { status, json } = transport === 'get' ? (answer as NodeGetAnswer) : { status: 200, json: answer }
    const at = answerObject(json, 'answer', context)
    const common: Common = {
      network,
      endpoint,
      transport,
      tags: [...tags],
      subject,
      observation_id: context.observationId,
      observed_at: context.observedAt,
    }
    const checks = object(at, 'checks', (inner) => checkRows(inner, common))
    const healthy = flag(at, 'healthy')
    finish(at)
    const report = { ...common, status, healthy, check_count: checks.length }
    return { rows: { reports: [report], checks }, items: [], next: null }
  }
}

function checkRows(at: Reading, common: Common): RowOf<typeof nodeHealth>[] {
  return Object.keys(at.object).map((name) => ({ ...common, check_name: name, ...object(at, name, checkCells) }))
}

function checkCells(at: Reading) {
  const message = raw(at, 'message')
  const error = raw(at, 'error')
  const checked = optionalNanoseconds(at, 'timestamp')
  const failed = optionalNanoseconds(at, 'timeOfFirstFailure')
  return {
    message: message === undefined ? null : jsonText(message),
    // Releases of 2021 state an object.
    error: error === undefined ? null : typeof error === 'string' ? error : jsonText(error),
    checked_at: checked === null ? null : microsecondsOf(checked),
    checked_at_ns: checked,
    duration_ns: optionalInt64(at, 'duration'),
    contiguous_failures: optionalCount(at, 'contiguousFailures'),
    first_failure_at: failed === null ? null : microsecondsOf(failed),
    first_failure_at_ns: failed,
  }
}

/** Nanoseconds since 1970, from an RFC 3339 time. Go writes an unset time as one of the year 1, which becomes null. */
function optionalNanoseconds(at: Reading, name: string): bigint | null {
  const text = optionalText(at, name)
  if (text === null) return null
  const nanoseconds = rfc3339ToNs(text)
  if (nanoseconds === null) throw wrong(pathOf(at, name), 'is no RFC 3339 time', text)
  return text.startsWith('0001-') ? null : nanoseconds
}

/** Returns nanoseconds as microseconds, rounded down. */
function microsecondsOf(nanoseconds: bigint): bigint {
  const rest = nanoseconds % 1000n
  return (nanoseconds - (rest < 0n ? rest + 1000n : rest)) / 1000n
}

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
type Standing = Pick<RowOf<typeof nodeTransactions>, 'tx_status' | 'height'>

const nothing: TransactionPage = { rows: { transactions: [] }, items: [], next: null }

/** The chain has accepted the transaction, so its content can be requested. */
const accepted = 'Accepted'
/** The only other state that is final (specification part 3). `Dropped` is not final: the pool of this node gave the transaction up. */
const rejected = 'Rejected'

/**
 * Reads the status of a transaction (xvm.getTxStatus, cx.getAtomicTxStatus; specification part 3). If it is accepted, the next token requests
 * its content. Returns no rows if its status is not final: the next run requests it again.
 */
export function decodeTxStatus(requested: RequestedTransaction) {
  return (answer: unknown, context: ReadingContext): TransactionPage => {
    const at = answerObject(answer, 'answer', context)
    const standing: Standing = { tx_status: word(at, 'status'), height: optionalCount(at, 'blockHeight') }
    finish(at)
    if (standing.tx_status === accepted) return { ...nothing, next: JSON.stringify(standing) }
    if (standing.tx_status !== rejected) return nothing
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
    const height = optionalCount(at, 'blockHeight')
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

function placeOf({ network, blockchainId, txId }: RequestedTransaction) {
  return { network, blockchain_id: blockchainId, tx_id: txId }
}

function onePage(row: RowOf<typeof nodeTransactions>): TransactionPage {
  return { ...nothing, rows: { transactions: [row] } }
}

type Content = Pick<RowOf<typeof nodeTransactions>, 'tx_type' | 'encoding' | 'tx_bytes' | 'tx_json'>

function bytesContent(at: Reading, encoding: string, requested: RequestedTransaction): Content {
  const { txId, blockchainId, namespace, fxs } = requested
  const bytes = bytesOfHex(text(at, 'tx'), pathOf(at, 'tx'), encoding)
  mustHaveId(bytes, txId, 'transaction')
  const { unsignedTx } =
    namespace === 'cx' ? decodeExactly(signedAtomicTx, bytes, 'tx') : decodeExactly(xCodec(fxs).signedTx, bytes, 'tx')
  mustBeOfBlockchain(idText(unsignedTx.blockchainID), blockchainId, txId)
  return { tx_type: unsignedTx.type, encoding: 'hex', tx_bytes: bytes, tx_json: null }
}

function jsonContent(at: Reading, { txId, blockchainId }: RequestedTransaction): Content {
  const json = object(at, 'tx', (tx) => {
    const stated = optionalId(tx, 'id')
    if (stated !== null && stated !== txId) throw wrong('tx.id', 'is not the requested one', stated)
    object(tx, 'unsignedTx', (unsigned) => {
      mustBeOfBlockchain(id(unsigned, 'blockchainID'), blockchainId, txId)
      ignore(unsigned, ...Object.keys(unsigned.object))
    })
    ignore(tx, ...Object.keys(tx.object))
    return jsonText(raw(at, 'tx'))
  })
  return { tx_type: null, encoding: 'json', tx_bytes: null, tx_json: json }
}

type BlockPage = Page<{ blocks: typeof nodeBlocks }>

/** A block requested by its id, from the P-Chain (`platform`) or a chain of the asset VM (`xvm`). */
type RequestedBlock = {
  readonly network: string
  readonly blockchainId: string
  readonly blockId: string
  readonly namespace: 'platform' | 'xvm'
  /** Equal to `fxs` in the `ChainContext` of the chain. */
  readonly fxs: FxOrder | null
}

type BlockContent = Omit<NodeBlock, 'network' | 'blockchain_id' | 'block_id'>

/** Reads a block (platform.getBlock, xvm.getBlock; specification 4.1 and 4.3) as bytes or JSON. Throws `DecodeError` for another block. */
export function decodeBlock(requested: RequestedBlock) {
  return (answer: unknown, context: ReadingContext): BlockPage => {
    const at = answerObject(answer, 'answer', context)
    const encoding = (optionalText(at, 'encoding') ?? 'hex').toLowerCase()
    const content = encoding === 'json' ? blockJson(at, requested) : blockBytes(at, encoding, requested)
    finish(at)
    const { network, blockchainId, blockId } = requested
    const row: NodeBlock = { network, blockchain_id: blockchainId, block_id: blockId, ...content }
    return { rows: { blocks: [row] }, items: [], next: null }
  }
}

/** Returns an empty page if the node does not have the block yet. The next run requests it again. */
export function blockRefused(refusal: Refusal): BlockPage | null {
  return isNotFound(refusal) ? { rows: { blocks: [] }, items: [], next: null } : null
}

function blockBytes(at: Reading, encoding: string, { blockId, namespace, fxs }: RequestedBlock): BlockContent {
  const bytes = bytesOfHex(text(at, 'block'), pathOf(at, 'block'), encoding)
  mustHaveId(bytes, blockId, 'block')
  const block =
    namespace === 'platform' ? decodeExactly(pBlock, bytes, 'block') : decodeExactly(xCodec(fxs).block, bytes, 'block')
  const txs = 'txs' in block ? block.txs.length : 0
  return {
    height: boundedNumber(block.height, 'block.height'),
    parent_id: idText(block.parentID),
    block_time: 'time' in block ? timeOf(block.time) : null,
    block_type: block.type,
    tx_count: 'tx' in block ? txs + 1 : txs,
    encoding: 'hex',
    block_bytes: bytes,
    block_json: null,
  }
}

function blockJson(at: Reading, { blockId }: RequestedBlock): BlockContent {
  return object(at, 'block', (block) => {
    const stated = id(block, 'id')
    if (stated !== blockId) throw wrong('block.id', 'is not the requested one', stated)
    const time = optionalU64(block, 'time')
    const content: BlockContent = {
      height: count(block, 'height'),
      parent_id: id(block, 'parentID'),
      block_time: time === null ? null : timeOf(time),
      block_type: null,
      tx_count: txsIn(block),
      encoding: 'json',
      block_bytes: null,
      block_json: jsonText(raw(at, 'block')),
    }
    ignore(block, ...Object.keys(block.object))
    return content
  })
}

/** Counts the transactions. `txs` may be null. `tx` is the proposed transaction of a proposal block. */
function txsIn(block: Reading): number {
  const txs = raw(block, 'txs') ?? []
  if (!Array.isArray(txs)) throw wrong('block.txs', 'is no list', txs)
  return raw(block, 'tx') === undefined ? txs.length : txs.length + 1
}
