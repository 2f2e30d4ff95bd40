import { type ErrorOptions, RpcError, TransportError } from '../../errors.ts'
import type { RpcCall } from '../../fetch/json-rpc.ts'
import { countOf, hex, isObject, type Json } from '../evm-answers.ts'
import { isBehind, isMissingMethod, isMissingState } from '../evm-refusals.ts'
import { isTimedOut } from '../window-size.ts'

/** How the source of traces reads answers of tracers. */

/** A tracer as the node takes it: `tracer`, and settings such as `tracerConfig` and `timeout`. */
export type Tracer = { readonly tracer: string } & Readonly<Record<string, unknown>>

export function traceBlockCall(number: number, tracer: Tracer): RpcCall {
  return { method: 'debug_traceBlockByNumber', params: [hex(number), tracer] }
}

export function traceTransactionCall(hash: string, tracer: Tracer): RpcCall {
  return { method: 'debug_traceTransaction', params: [hash, tracer] }
}

/** The hashes of the transactions that a block lists, whole or by hash. Throws `TransportError` if it lists none. */
export function transactionHashesOf(number: number, { transactions }: Json): string[] {
  const hashes = Array.isArray(transactions) ? transactions.map((each) => (isObject(each) ? each['hash'] : each)) : null
  if (hashes?.every((each) => typeof each === 'string')) return hashes
  throw new TransportError(
    `The answer to eth_getBlockByNumber of block ${number} has no list of transactions with hashes.`,
    {
      code: 'evm.traces',
      retryable: false,
      details: { 'block number': number },
      hint: 'Check that the URL is the JSON-RPC of an EVM chain.',
    },
  )
}

/** What a node says about a transaction: its trace, or why there is none. */
export type Traced = { readonly result: unknown } | { readonly error: RpcError | TransportError }

/**
 * What debug_traceBlockByNumber says about each transaction, in their order; null if the node does not say which transaction each trace belongs
 * to. Throws `TransportError` for traces of other transactions.
 */
export function tracedOf(number: number, hashes: readonly string[], answer: unknown): Traced[] | null {
  if (answer === null && hashes.length > 0) throw otherTransactions(number, `none of ${hashes.length} transactions`)
  const traces: readonly unknown[] | null = answer === null && hashes.length === 0 ? [] : listOrNull(answer)
  if (traces === null || !traces.every(isObject)) throw wrongTraces(number, 'is not a list of traces')
  if (traces.length > hashes.length)
    throw otherTransactions(number, `${traces.length} of ${hashes.length} transactions`)
  if (traces.some((each) => (each['txHash'] ?? null) === null)) return null
  const byHash = new Map(traces.map((each) => [String(each['txHash']).toLowerCase(), each]))
  const traced = hashes.map((hash): Traced => {
    const own = byHash.get(hash.toLowerCase())
    byHash.delete(hash.toLowerCase())
    if (own === undefined)
      return { error: otherTransactions(number, `${traces.length} of ${hashes.length} transactions`) }
    return (own['error'] ?? '') === '' ? tracedBy(hash, own['result']) : { error: untraced(hash, String(own['error'])) }
  })
  for (const other of byHash.keys()) throw otherTransactions(number, `transaction ${other}`)
  return traced
}

/** The result of a tracer. Arbitrum answers with a call of the type STOP where it traces nothing, other nodes with null. */
export function tracedBy(hash: string, result: unknown): Traced {
  const isStop = isObject(result) && String(result['type']).toUpperCase() === 'STOP' && result['calls'] === undefined
  return (result ?? null) === null || isStop ? { error: untraced(hash, 'it returns no trace') } : { result }
}

/** Whether a refusal to trace says nothing about the transaction: the node fails likewise for others, or may answer later. */
export function isOfNode(error: RpcError | TransportError): boolean {
  if (!(error instanceof RpcError)) return false
  return error.retryable || isBehind(error) || isMissingMethod({ error }) || isMissingState(error)
}

/**
 * The types of transactions of chains themselves: those of Arbitrum (0x64 to 0x6a), deposits of the OP stack (0x7e), state-sync transactions of
 * Polygon (0x7f), upgrades and priority operations of the ZK stack (0xfe, 0xff).
 */
const typesOfChains = new Set([0x64, 0x65, 0x66, 0x68, 0x69, 0x6a, 0x7e, 0x7f, 0xfe, 0xff])

/**
 * Whether a chain may leave a transaction untraced, as listed in its block, with its receipt: it is one of the chain itself, which has a type of
 * its own or uses no gas, or one that was never executed, which has no receipt.
 */
export function mayBeUntraced(transaction: unknown, receipt: unknown): boolean {
  if (!isObject(transaction)) return false
  if (receipt === null || typesOfChains.has(countOf(transaction['type']) ?? 0)) return true
  return isObject(receipt) && countOf(receipt['gasUsed']) === 0
}

function listOrNull(value: unknown): readonly unknown[] | null {
  return Array.isArray(value) ? value : null
}

function wrongTraces(number: number, what: string): TransportError {
  return new TransportError(`The answer to debug_traceBlockByNumber of block ${number} ${what}.`, {
    code: 'evm.traces',
    retryable: false,
    details: { 'block number': number },
    hint: 'Nothing of this window was written. The node, or a gateway in front of it, does not follow the request: use another node.',
  })
}

function otherTransactions(number: number, found: string): TransportError {
  return new TransportError(
    `The traces of block ${number} are not those of its transactions: the node traced ${found}.`,
    {
      code: 'evm.other-block',
      details: { 'block number': number },
      hint: 'Nothing of this window was written. Behind a load balancer nodes may disagree: use the URL of one node, or run again later.',
    },
  )
}

/** A tracer that failed for a transaction. */
function untraced(hash: string, why: string): RpcError {
  const details = { 'transaction hash': hash }
  return new RpcError(`debug_traceBlockByNumber failed: ${why}`, { code: 0, answer: why }, { details })
}

/** The error of a tracing call, with its block and what helps. */
export function tracingFailure(number: number, error: RpcError, { details, hint }: ErrorOptions = {}): RpcError {
  return new RpcError(
    `Block ${number}: ${error.message}`,
    { code: error.rpcCode, answer: error.answer },
    {
      details: { 'block number': number, ...details, ...error.details },
      hint: hint ?? hintFor(error),
      cause: error,
    },
  )
}

function hintFor(error: RpcError): string {
  if (isMissingMethod({ error }))
    return 'The node does not offer its debug API: enable it in the configuration of the chain, or use another node.'
  if (isMissingState(error))
    return 'The node has pruned the state before this block. Use an archive node (pruning-enabled: false).'
  if (isTimedOut(error)) return longer
  return 'Nothing of this window was written. Use another node, or run again later.'
}

/** The error of a request for one transaction, which cannot be cut into smaller ones. */
export function tooMuchForOne(number: number, error: unknown): unknown {
  if (error instanceof RpcError || !(error instanceof TransportError)) return error
  const { message, code, details, retryable, hint } = error
  return new TransportError(`Block ${number}: ${message}`, {
    code,
    retryable,
    details: { 'block number': number, ...details },
    hint: isTimedOut(error) ? longer : (hint ?? tooLarge),
    cause: error,
  })
}

/** What helps where the trace of one transaction takes too long or is too large. */
const longer =
  'The node needs longer for this transaction: raise tracer-timeout, the timeout of requests (--timeout) and the limits of the node.'
const tooLarge = 'Raise the limit of the node for the size of an answer, or use another node.'
