import { type nodeEvmProofs, nodeEvmState, type nodeTxpool } from '../../../schemas/node-state.ts'
import { unsignedColumns } from '../../../schemas/shared/evm-columns.ts'
import type { Page, ReadingContext, Refusal, RowOf } from '../../define/index.ts'
import { DecodeError, OtherSourceError, TransportError } from '../../errors.ts'
import { isObject } from '../../lib/json.ts'
import { transactionRow, transactionShape } from '../evm/blocks.ts'
import {
  address,
  bytesList,
  hash,
  hexShape,
  objects,
  quantityText,
  topFields,
  u64,
  u256,
  wrongField,
} from '../evm/hex-fields.ts'
import { finish, type Reading } from '../json/fields.ts'
import { jsonText } from '../json/kinds.ts'
import { partsReader } from '../list-reader.ts'
import { decimalOrNull } from '../values.ts'
import { isUnknownMethod, methodNotFound, type NodePlace, otherThanRequested } from './node.ts'

type StatePage = Page<{ state: typeof nodeEvmState }>
type EvmChainPlace = NodePlace & { readonly chainId: string }

/** The calls that fill a row, in the order of the requests. Fees are last and adjacent, because they belong to one moment. */
export const evmStateCalls = [
  'eth_chainId',
  'net_version',
  'web3_clientVersion',
  'eth_getChainConfig',
  'eth_baseFee',
  'eth_maxPriorityFeePerGas',
] as const
type Method = (typeof evmStateCalls)[number]

/** Texts of the answers so far; null if the node does not know the method. They are the token of the next call. */
type Said = readonly (string | null)[]

export function evmStateCall(token: string | null): Method {
  return evmStateCalls[said(token).length]!
}

function said(token: string | null | undefined): Said {
  return token == null ? [] : (JSON.parse(token) as Said)
}

/** Reads an answer to one of the calls (specification 4.2). The last answer completes the row. */
export function decodeEvmState(place: EvmChainPlace) {
  return (answer: unknown, context: ReadingContext, token?: string | null): StatePage => {
    const before = said(token)
    const method = evmStateCalls[before.length]!
    const text = method === 'eth_getChainConfig' ? configText(answer) : answerText(method, answer)
    if (method === 'eth_chainId') mustBeOfChain(text, place)
    return goOn([...before, text], place, context)
  }
}

/** Continues without the value if the node does not know a method. There is no row without the chain id. */
export function evmStateRefused(place: EvmChainPlace) {
  return (refusal: Refusal, context: ReadingContext, token?: string | null): StatePage | null => {
    const before = said(token)
    return before.length > 0 && isUnknownMethod(refusal) ? goOn([...before, null], place, context) : null
  }
}

function goOn(all: Said, place: EvmChainPlace, context: ReadingContext): StatePage {
  if (all.length < evmStateCalls.length) return { rows: { state: [] }, items: [], next: JSON.stringify(all) }
  const { network, chainId: chain_id, subject } = place
  const { observationId: observation_id, observedAt: observed_at } = context
  const answers = Object.fromEntries(evmStateCalls.map((method, at) => [method, all[at]]))
  const row = readState(topFields(answers, stateShape), { network, chain_id, subject, observation_id, observed_at })
  return { rows: { state: [row] }, items: [], next: null }
}

/** The texts of all answers, by method, become the row. */
const stateShape = hexShape()
const readState = partsReader<RowOf<typeof nodeEvmState>>(nodeEvmState.columns, stateShape)

function configText(answer: unknown): string {
  if (isObject(answer)) return jsonText(answer)
  throw unreadable('eth_getChainConfig', 'is no object', answer)
}

function answerText(method: Method, answer: unknown): string {
  if (typeof answer === 'string' && answer !== '') return answer
  throw unreadable(method, 'is no text', answer)
}

function mustBeOfChain(text: string, { chainId }: EvmChainPlace): void {
  if (!/^0x[0-9a-f]+$/i.test(text)) throw unreadable('eth_chainId', 'is no quantity', text)
  const found = BigInt(text)
  if (String(found) === chainId) return
  throw new OtherSourceError(`The node answers for EVM chain ${found} instead of ${chainId}.`, {
    details: { 'chain id': found, 'chain id before': chainId },
    hint: 'Another chain was put behind the same address while the job ran: run again.',
  })
}

function unreadable(method: Method, what: string, answer: unknown): DecodeError {
  return new DecodeError(`The answer to ${method} ${what}.`, {
    code: 'decode.field',
    details: { field: method, value: jsonText(answer).slice(0, 200) },
    hint: 'Nothing of this unit was written. Ask another node of the chain, or update chainlake.',
  })
}

/** A requested account and its storage slots, at a block. */
type RequestedProof = {
  readonly network: string
  readonly chainId: string
  /** In lower case. */
  readonly address: string
  readonly slots: readonly string[]
  readonly block: { readonly number: number; readonly hash: string; readonly time: bigint | null }
}

/** Reads an account with its proofs (eth_getProof, specification 4.2). Throws `DecodeError` for another account or other slots. */
export function decodeProof(requested: RequestedProof) {
  return (answer: unknown, context: ReadingContext): Page<{ proofs: typeof nodeEvmProofs }> => {
    if (!isObject(answer)) throw new DecodeError('The answer to eth_getProof is no object.', { code: 'decode.field' })
    const at = topFields(answer, hexShape(), context.unknownField)
    const row = proofRow(at, requested)
    finish(at)
    if (row.address !== requested.address) throw otherThanRequested('account', requested.address, row.address)
    const slots = row.storage_proofs.map(({ slot }) => BigInt(slot))
    if (slots.length !== requested.slots.length || requested.slots.some((slot, i) => BigInt(slot) !== slots[i]))
      throw otherThanRequested(
        'list of slots',
        requested.slots.join(', '),
        row.storage_proofs.map(({ slot }) => slot).join(', '),
      )
    return { rows: { proofs: [row] }, items: [], next: null }
  }
}

/** Messages of nodes that have pruned the state of a block or never had it. */
const stateGone = /missing trie node|state .*not available|unfinalized data|oldest allowed block/

/** Throws `TransportError` if the node does not keep the state of the block. The error has the node's message and a hint. */
export function proofRefused({ block }: Pick<RequestedProof, 'block'>) {
  return ({ code, message }: Refusal): null => {
    if (!stateGone.test(message)) return null
    throw new TransportError(`The node has no state of block ${block.number} to prove anything with: ${message}`, {
      code: 'evm.no-state',
      details: { method: 'eth_getProof', block: block.number, 'error code': code },
      hint: 'Name a newer block. A pruning node keeps the state of 32 blocks. An archive node proves blocks of the last 24 hours (historical-proof-query-window).',
    })
  }
}

function proofRow(at: Reading, { network, chainId, block }: RequestedProof): RowOf<typeof nodeEvmProofs> {
  const balance = u256(at, 'balance')
  return {
    network,
    chain_id: chainId,
    address: address(at, 'address'),
    block_number: block.number,
    block_hash: block.hash,
    block_time: block.time,
    balance: decimalOrNull(balance),
    balance_raw: balance.toString(),
    nonce: u64(at, 'nonce'),
    code_hash: hash(at, 'codeHash'),
    storage_hash: hash(at, 'storageHash'),
    account_proof: bytesList(at, 'accountProof'),
    storage_proofs: objects(at, 'storageProof').map((proof) => ({
      slot: quantityText(proof, 'key'),
      slot_value: quantityText(proof, 'value'),
      proof: bytesList(proof, 'proof'),
    })),
  }
}

const pools = ['pending', 'queued'] as const

/** Reads the pool of a node (txpool_content): transactions by pool, sender and nonce. Throws `DecodeError`. */
export function decodeTxpool(place: EvmChainPlace) {
  return (answer: unknown, context: ReadingContext): Page<{ transactions: typeof nodeTxpool }> => {
    const byPool = new Map(entriesOf(answer, 'The answer to txpool_content'))
    const unknown = new Set([...byPool.keys()].filter((name) => !pools.some((pool) => pool === name)))
    const add = (path: string): unknown => unknown.add(`transaction.${path}`)
    const transactions = pools.flatMap((pool) => {
      if (!byPool.has(pool)) throw unreadablePool(pool, 'is missing')
      return entriesOf(byPool.get(pool), pool).flatMap(([sender, byNonce]) =>
        entriesOf(byNonce, `${pool}.${sender}`).map(([nonce, transaction]) => {
          const fields = Object.fromEntries(entriesOf(transaction, `${pool}.${sender}.${nonce}`))
          const at = topFields(fields, transactionShape, add)
          const row = poolRow(at, { pool, sender, nonce }, place, context)
          finish(at)
          return row
        }),
      )
    })
    for (const path of unknown) context.unknownField(path)
    return { rows: { transactions }, items: [], next: null }
  }
}

/** The columns of a receipt and of a signature are not part of the row. */
const unsigned = Object.keys(unsignedColumns) as (keyof typeof unsignedColumns)[]

function poolRow(
  at: Reading,
  { pool, sender, nonce }: Readonly<Record<'pool' | 'sender' | 'nonce', string>>,
  { network, subject, chainId }: EvmChainPlace,
  { observationId, observedAt }: ReadingContext,
): RowOf<typeof nodeTxpool> {
  const transactionHash = hash(at, 'hash')
  const place = { network, chain_id: chainId, block_number: 0, block_time: null, transaction_index: 0 }
  const row = transactionRow(at, null, { ...place, transaction_hash: transactionHash }, null)
  if (row.from_address !== sender.toLowerCase())
    throw wrongField(at, 'from', `is not ${sender}, as in the pool`, row.from_address)
  if (String(row.nonce) !== nonce) throw wrongField(at, 'nonce', `is not ${nonce}, as in the pool`, row.nonce)
  const cells = Object.fromEntries(unsigned.map((name) => [name, row[name]])) as Pick<
    typeof row,
    (typeof unsigned)[number]
  >
  return {
    network,
    chain_id: chainId,
    subject,
    observation_id: observationId,
    observed_at: observedAt,
    pool,
    transaction_hash: transactionHash,
    ...cells,
    nonce: BigInt(nonce),
  }
}

/** Throws `TransportError` with a hint if the node does not offer its pool. */
export function txpoolRefused({ code, message }: Refusal): null {
  if (code !== methodNotFound) return null
  throw new TransportError(`The node does not offer its pool of transactions: ${message}`, {
    code: 'evm.no-method',
    details: { method: 'txpool_content', 'error code': code },
    hint: 'Enable internal-tx-pool in eth-apis of the configuration of the chain, or use another node. Public nodes rarely offer it.',
  })
}

function entriesOf(value: unknown, path: string): [string, unknown][] {
  if (isObject(value)) return Object.entries(value)
  throw unreadablePool(path, 'is no object')
}

function unreadablePool(path: string, what: string): DecodeError {
  return new DecodeError(`${path} ${what}.`, {
    code: 'decode.field',
    details: { method: 'txpool_content', field: path },
    hint: 'Nothing of this unit was written. Ask another node of the chain, or update chainlake.',
  })
}
