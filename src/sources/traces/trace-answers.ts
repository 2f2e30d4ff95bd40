import { type ErrorOptions, RpcError, TransportError } from '../../errors.ts'
import type { RpcCall } from '../../fetch/json-rpc.ts'
import { hex, isObject, type Json } from '../evm-answers.ts'
import { isMissingMethod, isMissingState } from '../evm-refusals.ts'
import { isTimedOut, isTooLarge } from '../too-large.ts'

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

/**
 * The results of debug_traceBlockByNumber in the order of the transactions; null if the node does not say which transaction each belongs to.
 * Throws `TransportError` unless they are of these transactions, and for a transaction that the node could not trace.
 */
export function resultsOf(number: number, hashes: readonly string[], answer: unknown): unknown[] | null {
  const traces: readonly unknown[] | null = answer === null && hashes.length === 0 ? [] : listOrNull(answer)
  if (traces === null || !traces.every(isObject)) throw wrongTraces(number, 'is not a list of traces')
  if (traces.length !== hashes.length)
    throw otherTransactions(number, `${traces.length} of ${hashes.length} transactions`)
  const other = traces.findIndex((each, at) => each['txHash'] !== undefined && each['txHash'] !== hashes[at])
  if (other !== -1) throw otherTransactions(number, `transaction ${String(traces[other]!['txHash'])}`)
  const failed = traces.findIndex((each) => each['error'] !== undefined)
  if (failed !== -1) throw untraced(number, hashes[failed]!, String(traces[failed]!['error']))
  if (traces.some((each) => each['txHash'] === undefined)) return null
  return traces.map((each) => each['result'])
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

/** A tracer that fails gives no trace: the whole answer is refused, so that the lake never misses a transaction. */
function untraced(number: number, hash: string, why: string): RpcError {
  const error = new RpcError(`debug_traceBlockByNumber failed: ${why}`, { code: 0, answer: why })
  return tracingFailure(number, error, { details: { 'transaction hash': hash } })
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
  if (isTooLarge(error)) return tooLarge
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
