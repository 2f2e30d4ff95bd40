import { timeOfTimestamp } from '../codec/evm/block-time.ts'
import type { Connection } from '../define/connection.ts'
import { DecodeError, RpcError, TransportError } from '../errors.ts'
import type { RpcCall, RpcOutcome } from '../fetch/json-rpc.ts'
import { createEvmCalls, type EvmCalls } from './evm-calls.ts'

/** How the sources of EVM chains read answers about blocks. */

export type Json = Readonly<Record<string, unknown>>

/** Number of newest blocks that do not count as final if the node does not say which block is final. */
export const usualFinality = 64

export function blockCall(number: string, whole: boolean): RpcCall {
  return { method: 'eth_getBlockByNumber', params: [number, whole] }
}

export function receiptCall(hash: unknown): RpcCall {
  return { method: 'eth_getTransactionReceipt', params: [hash] }
}

export function hex(number: number): string {
  return `0x${number.toString(16)}`
}

/** Number of the last final block: as the node says, otherwise `finality` below its newest block. Null if there is none. */
export async function finalHead(calls: EvmCalls, finality: number, signal?: AbortSignal): Promise<number | null> {
  try {
    const final = await newest(calls, 'finalized', signal)
    if (final !== null) return final
  } catch (error) {
    // Older nodes and some gateways do not know the tag; other nodes have no final block yet.
    if (!(error instanceof RpcError) || error.retryable) throw error
  }
  const latest = await newest(calls, 'latest', signal)
  return latest === null || latest < finality ? null : latest - finality
}

/** The head of a range over the blocks of the chain at a route. */
export function finalHeadOf(calls: EvmCalls, route: string, finality: number) {
  return {
    head: (signal?: AbortSignal) => finalHead(calls, finality, signal),
    headOf: `${route}, final ${finality} blocks below the newest`,
  }
}

/** Number of the last final block of the chain at a route; null if there is none. */
export function readFinalHead(
  connection: Connection,
  route: string,
  finality = usualFinality,
  signal?: AbortSignal,
): Promise<number | null> {
  return finalHead(createEvmCalls(connection, route), finality, signal)
}

/** Explains why there is no final block. */
export function nothingFinal(finality: number): string {
  return `The node has no final block of the chain yet, and its newest block is below number ${finality}.`
}

async function newest(calls: EvmCalls, tag: 'finalized' | 'latest', signal: AbortSignal | undefined) {
  const { outcomes } = await calls.ask([blockCall(tag, false)], { signal })
  const block = resultOf(outcomes[0]!)
  if (block === null) return null
  const number = isObject(block) ? countOf(block['number']) : null
  if (number !== null) return number
  throw new DecodeError(`The answer to eth_getBlockByNumber of ${tag} is not a block with a number.`, {
    code: 'decode.field',
    hint: 'Check that the URL is the JSON-RPC of an EVM chain.',
  })
}

export function resultOf(outcome: RpcOutcome): unknown {
  if ('error' in outcome) throw outcome.error
  return outcome.result
}

/** The result of a call about a block; errors name the block. */
export function resultFor(number: number, outcome: RpcOutcome): unknown {
  if (!('error' in outcome)) return outcome.result
  const { message, rpcCode, answer, details } = outcome.error
  throw new RpcError(
    `Block ${number}: ${message}`,
    { code: rpcCode, answer },
    {
      details: { 'block number': number, ...details },
      hint: 'If the node has pruned old blocks or receipts, use an archive node, or begin with a later block.',
      cause: outcome.error,
    },
  )
}

/** The requested block. Throws `TransportError` if the node does not have it. */
export function blockOf(number: number, outcome: RpcOutcome): Json {
  const block = resultFor(number, outcome)
  if (!isObject(block)) throw missingBlock(number, 'it answers null')
  const found = countOf(block['number'])
  if (found !== number) throw missingBlock(number, `it answers with ${found === null ? 'no number' : `block ${found}`}`)
  return block
}

/**
 * The time of a block in microseconds since 1970 UTC, to the millisecond where the chain has it; `unknown` after the year 9999; null if it has
 * no timestamp.
 */
export function blockTimeOf(block: Json): bigint | 'unknown' | null {
  const [timestamp, milliseconds] = [block['timestamp'], block['timestampMilliseconds']].map(quantityOf)
  if (timestamp === undefined || timestamp === null) return null
  if (milliseconds !== undefined && milliseconds !== null) return milliseconds * 1000n
  return timeOfTimestamp(timestamp) ?? 'unknown'
}

function quantityOf(quantity: unknown): bigint | null {
  if (Number.isSafeInteger(quantity) || typeof quantity === 'bigint') return BigInt(quantity as number | bigint)
  return typeof quantity === 'string' && /^0x[0-9a-f]+$/i.test(quantity) ? BigInt(quantity) : null
}

/** A hexadecimal quantity as a number; null if it is not a quantity or is too large for a number. */
export function countOf(quantity: unknown): number | null {
  const value = typeof quantity === 'string' && /^0x[0-9a-f]+$/i.test(quantity) ? Number(quantity) : Number.NaN
  return Number.isSafeInteger(value) ? value : null
}

export function missingBlock(number: number, why: string): TransportError {
  return new TransportError(`The node does not return block ${number}, although its head is higher: ${why}.`, {
    code: 'evm.missing-block',
    details: { 'block number': number },
    hint: 'Behind a load balancer one node may lag, and some nodes have pruned old blocks or receipts. Use the URL of one archive node, or run again later.',
  })
}

/** Two answers of one node are of different blocks. */
export function otherBlock(number: number): TransportError {
  return new TransportError(`The node returns two different blocks with number ${number}.`, {
    code: 'evm.other-block',
    details: { 'block number': number },
    hint: 'Nothing of this window was written. Behind a load balancer nodes may disagree: use the URL of one node, or run again later.',
  })
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
