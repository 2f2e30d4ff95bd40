import type { NodeTxpool, nodeTxpool } from '../../../schemas/node-txpool.ts'
import { unsignedColumns } from '../../../schemas/shared/unsigned-columns.ts'
import type { Page, ReadingContext, Refusal } from '../../define/index.ts'
import { DecodeError, TransportError } from '../../errors.ts'
import { createKind, type Fields, hash, passOver, topFields, unknownFields, wrongField } from '../evm/fields.ts'
import { transactionRow } from '../evm/transaction-row.ts'
import type { EvmChainPlace } from './evm-state.ts'

type PoolPage = Page<{ transactions: typeof nodeTxpool }>

const pools = ['pending', 'queued'] as const
const kind = createKind('transaction')

/** Reads the pool of a node (txpool_content): transactions by pool, sender and nonce. Throws `DecodeError`. */
export function decodeTxpool(place: EvmChainPlace) {
  return (answer: unknown, context: ReadingContext): PoolPage => {
    const byPool = new Map(entriesOf(answer, 'The answer to txpool_content'))
    const unknown = new Set([...byPool.keys()].filter((name) => !pools.some((pool) => pool === name)))
    const transactions: NodeTxpool[] = []
    for (const waiting of pools.flatMap((pool) => transactionsOf(pool, byPool.get(pool)))) {
      transactions.push(poolRow(waiting, place, context, unknown))
      for (const path of unknownFields(waiting.at)) unknown.add(path)
    }
    for (const path of unknown) context.unknownField(path)
    return { rows: { transactions }, items: [], next: null }
  }
}

/** A transaction, and where it is in the answer. */
type Waiting = {
  readonly at: Fields
  readonly pool: (typeof pools)[number]
  readonly sender: string
  readonly nonce: string
}

function transactionsOf(pool: Waiting['pool'], senders: unknown): Waiting[] {
  if (senders === undefined) throw unreadable(pool, 'is missing')
  return entriesOf(senders, pool).flatMap(([sender, byNonce]) =>
    entriesOf(byNonce, `${pool}.${sender}`).map(([nonce, transaction]) => {
      const fields = Object.fromEntries(entriesOf(transaction, `${pool}.${sender}.${nonce}`))
      return { at: topFields(fields, kind), pool, sender, nonce }
    }),
  )
}

/** A transaction of the pool has no receipt; the columns of a receipt are not part of the row. */
const noReceipt = topFields({}, createKind('receipt'))
const unsigned = Object.keys(unsignedColumns) as (keyof typeof unsignedColumns)[]

function poolRow(
  { at, pool, sender, nonce }: Waiting,
  { network, subject, chainId }: EvmChainPlace,
  { observationId, observedAt }: ReadingContext,
  unknown: Set<string>,
): NodeTxpool {
  const transactionHash = hash(at, 'hash')
  const place = { network, chain_id: chainId, block_number: 0, block_time: null, transaction_index: 0 }
  const row = transactionRow(at, noReceipt, { ...place, transaction_hash: transactionHash }, null, unknown)
  passOver(at, 'blockHash', 'blockNumber', 'blockTimestamp', 'transactionIndex')
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
    retryable: false,
    details: { method: 'txpool_content', 'error code': code },
    hint: 'Enable internal-tx-pool in eth-apis of the configuration of the chain, or use another node. Public nodes rarely offer it.',
  })
}

const methodNotFound = -32601

function entriesOf(value: unknown, path: string): [string, unknown][] {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return Object.entries(value)
  throw unreadable(path, 'is no object')
}

function unreadable(path: string, what: string): DecodeError {
  return new DecodeError(`${path} ${what}.`, {
    code: 'decode.field',
    details: { method: 'txpool_content', field: path },
    hint: 'Nothing of this unit was written. Ask another node of the chain, or update chainlake.',
  })
}
