import { timeOfTimestamp } from '../../codec/evm/block-time.ts'
import type { Connection } from '../define/connection.ts'
import { DecodeError, RpcError, TransportError } from '../errors.ts'
import type { RpcCall, RpcOutcome } from '../fetch/json-rpc.ts'
import { createEvmCalls, type EvmCalls } from './evm-calls.ts'
import { isBehind, isPruned } from './evm-refusals.ts'

/** How the sources of EVM chains read answers about blocks. */

export type Json = Readonly<Record<string, unknown>>

/** Number of newest blocks that do not count as final if the node does not say which block is final, and the job does not either. */
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

/** The last final block of a chain. */
type FinalHead = {
  /** Its number; null if there is none. */
  readonly number: number | null
  /** What a user should know about it; null where there is nothing to say. */
  readonly remark: string | null
}

/**
 * The last final block: `finality` below the newest one where the job says so, otherwise as the node says, otherwise `usualFinality` below
 * the newest one.
 */
export async function finalHead(
  calls: EvmCalls,
  finality: number | undefined,
  signal?: AbortSignal,
): Promise<FinalHead> {
  const final = await askTag(calls, 'finalized', signal).catch(nullIfRefused)
  if (finality === undefined && final !== null) {
    const latest = isOld(final) ? await askTag(calls, 'latest', signal) : null
    const behind = latest === null ? null : standsStill(final, latest)
    if (behind === null) return { number: final.number, remark: null }
    return {
      number: final.number,
      remark: `The node says that block ${final.number} is its last final block, ${behind}. The run ends there: set finality (--finality N) to read up to N blocks below the newest one.`,
    }
  }
  const latest = await askTag(calls, 'latest', signal)
  const reserve = finality ?? usualFinality
  if (latest === null || latest.number < reserve) return { number: null, remark: null }
  const number = latest.number - reserve
  if (final === null || number <= final.number) return { number, remark: null }
  const behind = standsStill(final, latest)
  return {
    number,
    remark:
      behind === null
        ? `finality is ${finality}: the run reads up to block ${number}, although block ${final.number} is the last one that the node calls final. Later blocks may still change.`
        : `The node says that block ${final.number} is its last final block, ${behind}. finality is ${finality}: the run reads up to block ${number}.`,
  }
}

/** Older nodes and some gateways do not know the tag `finalized`; other nodes have no final block yet. */
function nullIfRefused(error: unknown): null {
  if (error instanceof RpcError && !error.retryable) return null
  throw error
}

type NewestBlock = { readonly number: number; readonly time: bigint | null }

const dayInMicroseconds = 86_400_000_000n

/** Whether a final block may stand still: it is the first one, or older than a day. */
function isOld({ number, time }: NewestBlock): boolean {
  return number === 0 || time === null || BigInt(Date.now()) * 1000n - time > dayInMicroseconds
}

/** How far a final block is behind the newest one, if it stands still; null if it does not. */
function standsStill(final: NewestBlock, latest: NewestBlock): string | null {
  const age = final.time === null || latest.time === null ? 0n : latest.time - final.time
  const blocks = latest.number - final.number
  if (age <= dayInMicroseconds && (final.number > 0 || blocks <= usualFinality)) return null
  const days = age / dayInMicroseconds
  return `${blocks} blocks${days > 0n ? ` and ${days} ${days === 1n ? 'day' : 'days'}` : ''} below its newest one`
}

/** The head of a range over the blocks of the chain at a route. */
export function finalHeadOf(calls: EvmCalls, route: string, finality: number | undefined) {
  let remark: string | null = null
  return {
    async head(signal?: AbortSignal): Promise<number | null> {
      const head = await finalHead(calls, finality, signal)
      remark = head.remark
      return head.number
    },
    headOf: `${route}, final ${finality === undefined ? 'as the node says' : `${finality} blocks below the newest`}`,
    remark: () => remark,
    whyEmpty: () => nothingFinal(finality),
  }
}

/** The last final block of the chain at a route. */
export function readFinalHead(
  connection: Connection,
  route: string,
  finality?: number,
  signal?: AbortSignal,
): Promise<FinalHead> {
  return finalHead(createEvmCalls(connection, route), finality, signal)
}

/** Explains why there is no final block. */
function nothingFinal(finality: number | undefined): string {
  return finality === undefined
    ? `The node has no final block of the chain yet, and its newest block is below number ${usualFinality}.`
    : `The newest block of the chain is below number ${finality}, which is the finality of the job.`
}

/** The block that a tag names; null if the chain has none. */
async function askTag(calls: EvmCalls, tag: string, signal: AbortSignal | undefined): Promise<NewestBlock | null> {
  const { outcomes } = await calls.ask([blockCall(tag, false)], { signal })
  const block = resultOf(outcomes[0]!)
  if (block === null) return null
  const number = isObject(block) ? countOf(block['number']) : null
  if (isObject(block) && number !== null) {
    const time = blockTimeOf(block)
    return { number, time: time === 'unknown' ? null : time }
  }
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
  if ('error' in outcome) throw failureAt(number, outcome.error)
  return outcome.result
}

/** The error of a refused call about a block, with the block. */
export function failureAt(number: number, error: RpcError): RpcError {
  const { message, rpcCode, answer, details } = error
  return new RpcError(
    `Block ${number}: ${message}`,
    { code: rpcCode, answer },
    {
      details: { 'block number': number, ...details },
      hint: 'If the node has pruned old blocks or receipts, use an archive node, or begin with a later block.',
      cause: error,
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

/** The requested block; null if the node does not have it, because it lags behind or has pruned it. */
export function blockOrNull(number: number, outcome: RpcOutcome): Json | null {
  try {
    return blockOf(number, outcome)
  } catch (error) {
    if (isBehind(error) || isPruned(error)) return null
    throw error
  }
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

/** The error for an answer about another block than the one with this number that the node returns. */
export function otherBlockAt(
  number: number,
  what: string,
  hashes: { readonly of: unknown; readonly block: unknown },
): TransportError {
  return new TransportError(
    `The ${what} of block ${number} belong to another block than the one that the node returns.`,
    {
      code: 'evm.other-block',
      details: { 'block number': number, [`of the ${what}`]: String(hashes.of), 'of the block': String(hashes.block) },
      hint: 'Nothing of this window was written. Behind a load balancer nodes may disagree: use the URL of one node, or run again later.',
    },
  )
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
