import { headerShape } from '../../codec/evm/block-parts.ts'
import { timeOfTimestamp } from '../../codec/evm/header.ts'
import type { Connection } from '../define/connection.ts'
import type { RangeSource, RecordTime } from '../define/index.ts'
import { ConfigError, DecodeError, type ErrorOptions, errorKind, RpcError, TransportError } from '../errors.ts'
import { type CallOptions, callRpc, callRpcBatch, type RpcCall, type RpcOutcome } from '../fetch/json-rpc.ts'
import { chunksOf } from '../lib/arrays.ts'
import { isObject, parseExactJson } from '../lib/json.ts'
import { networkName, networkOfCChain } from './known-networks.ts'
import { adaptWindows, askEach, type LagOptions, unlessOutage } from './window-size.ts'

/** How the sources of EVM chains read answers about blocks. */

export type Json = Readonly<Record<string, unknown>>

/** Options of sources over the blocks of an EVM chain. */
export type EvmRangeOptions = LagOptions & {
  /** Number of newest blocks that do not count as final. Default: as the node says which block is final, or else 64. */
  readonly finality?: number | undefined
  /** Reads only blocks with numbers that are multiples of this. Default 1: all blocks. */
  readonly step?: number
}

/** Number of newest blocks that do not count as final if the node does not say which block is final, and the job does not either. */
const usualFinality = 64

export function blockCall(number: string, whole: boolean): RpcCall {
  return { method: 'eth_getBlockByNumber', params: [number, whole] }
}

export function receiptsCall(number: number): RpcCall {
  return { method: 'eth_getBlockReceipts', params: [hex(number)] }
}

export function receiptCall(hash: unknown): RpcCall {
  return { method: 'eth_getTransactionReceipt', params: [hash] }
}

export function hex(number: number): string {
  return `0x${number.toString(16)}`
}

export function multiplesOf(step: number, from: number, to: number): number[] {
  const first = Math.ceil(from / step)
  return Array.from({ length: Math.max(0, Math.ceil(to / step) - first) }, (_, at) => (first + at) * step)
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
  if (finality !== undefined) return await headBelow(calls, finality, signal)
  const final = await askTag(calls, 'finalized', { signal }).catch(nullIfRefused)
  if (final === null) {
    const latest = await askTag(calls, 'latest', { signal })
    return { number: numberBelow(latest, usualFinality), remark: null }
  }
  const latest = isOld(final) ? await askTag(calls, 'latest', { signal }) : null
  const behind = latest === null ? null : standsStill(final, latest)
  if (behind === null) return { number: final.number, remark: null }
  return {
    number: final.number,
    remark: `The node says that block ${final.number} is its last final block, ${behind}. The run ends there: set finality (--finality N) to read up to N blocks below the newest one.`,
  }
}

async function headBelow(calls: EvmCalls, finality: number, signal: AbortSignal | undefined): Promise<FinalHead> {
  const latest = await askTag(calls, 'latest', { signal })
  const number = numberBelow(latest, finality)
  if (latest === null || number === null) return { number: null, remark: null }
  // The tag only gives a remark: a node that fails at it is not asked again.
  const final = await askTag(calls, 'finalized', { signal, tries: 1 }).catch(nullIfFailed)
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

function numberBelow(latest: NewestBlock | null, reserve: number): number | null {
  return latest === null || latest.number < reserve ? null : latest.number - reserve
}

/** Older nodes and some gateways do not know the tag `finalized`; other nodes have no final block yet. */
function nullIfRefused(error: unknown): null {
  if (error instanceof RpcError && !error.passes) return null
  throw error
}

function nullIfFailed(error: unknown): null {
  if (errorKind(error) !== null) return null
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
    whyEmpty: () =>
      finality === undefined
        ? `The node has no final block of the chain yet, and its newest block is below number ${usualFinality}.`
        : `The newest block of the chain is below number ${finality}, which is the finality of the job.`,
  }
}

export function readFinalHead(connection: Connection, route: string, finality?: number, signal?: AbortSignal) {
  return finalHead(createEvmCalls(connection, route), finality, signal)
}

/** The block that a tag names; null if the chain has none. */
async function askTag(calls: EvmCalls, tag: string, options: AskOptions): Promise<NewestBlock | null> {
  const block = await unlessOutage(async () => {
    const { outcomes } = await calls.ask([blockCall(tag, false)], options)
    return resultOf(outcomes[0]!)
  }, options.signal)
  if (block === null) return null
  const number = isObject(block) ? countOf(block['number']) : null
  if (isObject(block) && number !== null) {
    const time = blockTimeOf(block)
    return { number, time: time === 'unknown' ? null : time }
  }
  throw unusable(`eth_getBlockByNumber of ${tag}`, 'not a block with a number')
}

export function resultOf(outcome: RpcOutcome): unknown {
  if ('error' in outcome) throw outcome.error
  return outcome.result
}

const prunedHint =
  'If the node has pruned old blocks or receipts, use an archive node, or begin with a later block (--from).'

/** The error of a refused call about a block, with the block. */
export function failureAt(
  number: number,
  error: RpcError,
  { details, hint = prunedHint }: ErrorOptions = {},
): RpcError {
  return new RpcError(
    `Block ${number}: ${error.message}`,
    { code: error.rpcCode, answer: error.answer },
    { details: { 'block number': number, ...details, ...error.details }, hint, cause: error },
  )
}

/** The hashes of the transactions that a block lists, whole or by hash; null if it has no list. Some nodes write an empty list as null. */
export function hashesOf({ transactions }: Json): unknown[] | null {
  if (transactions === null) return []
  if (!Array.isArray(transactions)) return null
  return transactions.map((transaction: unknown) => (isObject(transaction) ? transaction['hash'] : transaction))
}

/** The requested block. Throws `TransportError` if the node does not have it. */
export function blockOf(number: number, outcome: RpcOutcome): Json {
  if ('error' in outcome) throw failureAt(number, outcome.error)
  const block = outcome.result
  if (!isObject(block)) throw missingBlock(number, 'it answers null')
  const found = countOf(block['number'])
  if (found !== number) throw missingBlock(number, `it answers with ${found === null ? 'no number' : `block ${found}`}`)
  return block
}

/** The requested block; null if the node does not have it, because it lags behind or has pruned it. */
function blockOrNull(number: number, outcome: RpcOutcome): Json | null {
  try {
    return blockOf(number, outcome)
  } catch (error) {
    // A node that has pruned whole blocks says so in these words. The kind `pruned` is about the state of a block.
    const isPruned = error instanceof RpcError && /pruned|history (is )?(not |un)available/i.test(error.message)
    if (isPruned || errorKind(error) === 'lagging') return null
    throw error
  }
}

/**
 * The time of a block in microseconds since 1970 UTC, to the millisecond where the chain has it; `unknown` after the year 9999; null if it has
 * no timestamp.
 */
function blockTimeOf(block: Json): bigint | 'unknown' | null {
  const [timestamp, milliseconds] = [block['timestamp'], block['timestampMilliseconds']].map(quantityOf)
  if (timestamp === undefined || timestamp === null) return null
  if (milliseconds !== undefined && milliseconds !== null) return milliseconds * 1000n
  return timeOfTimestamp(timestamp) ?? 'unknown'
}

function quantityOf(quantity: unknown): bigint | null {
  if (Number.isSafeInteger(quantity) || typeof quantity === 'bigint') return BigInt(quantity as number | bigint)
  return typeof quantity === 'string' && /^0x[0-9a-f]+$/i.test(quantity) ? BigInt(quantity) : null
}

/** A quantity as a number, hexadecimal or as some chains write it: null if it is none, or is too large for a number. */
export function countOf(quantity: unknown): number | null {
  const value = typeof quantity === 'string' && /^0x[0-9a-f]+$/i.test(quantity) ? Number(quantity) : quantity
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null
}

/** Whether a receipt is of the block with this number, and of the transaction with this index in it, as far as it says. */
export function isAt(number: number, receipt: unknown, index: number | null = null): boolean {
  const { blockNumber, transactionIndex } = isObject(receipt) ? receipt : {}
  const isOther = (stated: number | null, own: number | null) => stated !== null && own !== null && stated !== own
  return !isOther(countOf(blockNumber), number) && !isOther(countOf(transactionIndex), index)
}

export function missingBlock(number: number, why: string): TransportError {
  return new TransportError(`The node does not return block ${number}, although its head is higher: ${why}.`, {
    code: 'evm.missing-block',
    details: { 'block number': number },
    hint: 'Behind a load balancer one node may lag, and some nodes have pruned old blocks or receipts. Use the URL of one archive node, begin with a later block (--from), or run again later.',
  })
}

/** Two answers of one node are of different blocks. */
export function otherBlock(number: number, [one, other]: readonly Json[] = []): TransportError {
  const hashes = one === undefined ? {} : { 'one hash': String(one['hash']), 'other hash': String(other?.['hash']) }
  return new TransportError(`The node returns two different blocks with number ${number}.`, {
    code: 'evm.other-block',
    details: { 'block number': number, ...hashes },
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

/** The error for an answer about a transaction that its block does not list. */
export function unlistedAt(number: number, what: string, block: Json, hash: unknown): TransportError {
  return new TransportError(`Block ${number} has a ${what} of a transaction that it does not list.`, {
    code: 'evm.other-block',
    details: { 'block number': number, 'block hash': String(block['hash']), transaction: String(hash) },
    hint: 'Nothing of this window was written. The node returned this at every try: use another node of the chain.',
  })
}

/** Public nodes accept no longer batches. */
export const mostCalls = 40

/** `maxBytes` limits each answer to more than one call. */
export type AskOptions = Pick<CallOptions, 'signal' | 'tries' | 'maxBytes'> & {
  /** Number of calls that belong together: they stay in one batch where the server takes so many. Default 1. */
  readonly together?: number
  /** Whether fewer calls are requested at once after a refusal. False for callers that then request less themselves. Default true. */
  readonly cut?: boolean
}

export type EvmCalls = ReturnType<typeof createEvmCalls>

/** Calls to the JSON-RPC of an EVM chain, in batches that the server accepts. */
export function createEvmCalls(connection: Connection, route: string) {
  const size = adaptWindows({ first: mostCalls })

  return {
    /**
     * Sends all calls, in batches if the path accepts them. Returns the outcome of each, in order, and the length of the answers in characters.
     * Throws `HttpError`, `RpcError` and `TransportError` of whole requests.
     */
    async ask(calls: readonly RpcCall[], options: AskOptions = {}) {
      const { signal, maxBytes, tries: usualTries, together = 1, cut = true } = options
      let length = 0
      const parse = (text: string): unknown => {
        length += text.length
        return parseExactJson(text)
      }
      const send = async (some: readonly RpcCall[], tries = usualTries): Promise<readonly RpcOutcome[]> => {
        const limit = some.length === 1 ? undefined : maxBytes
        const outcomes = await callRpcBatch(connection, route, some, { signal, tries, maxBytes: limit, parse })
        size.answered(some.length, 0)
        return outcomes
      }
      const most = size.current()
      const chunks = chunksOf(calls, most > together ? most - (most % together) : most)
      const answers = await Promise.all(
        chunks.map((units) => (cut ? askEach({ units, size, send, refusalIn, together }) : send(units))),
      )
      return { outcomes: answers.flat(), size: length }
    },
  }
}

/** Requests blocks by their numbers, `whole`: with whole transactions. */
export async function askBlocks(
  calls: EvmCalls,
  numbers: readonly number[],
  whole: boolean,
  options: AskOptions,
): Promise<AskedBlock[]> {
  const requested = numbers.map((number) => blockCall(hex(number), whole))
  const { outcomes } = await calls.ask(requested, options)
  return numbers.map((number, at) => ({ number, outcome: outcomes[at]! }))
}

/** Sends groups of calls together, such as those about one block, and returns the outcomes of each. */
export async function askGroups(calls: EvmCalls, groups: readonly (readonly RpcCall[])[], options: AskOptions) {
  const { outcomes, size } = await calls.ask(groups.flat(), options)
  let end = 0
  const divided = groups.map(({ length }) => {
    end += length
    return outcomes.slice(end - length, end)
  })
  return { groups: divided, size }
}

function refusalIn(outcome: RpcOutcome): RpcError | null {
  return 'error' in outcome ? outcome.error : null
}

/**
 * Some chains, such as Filecoin, leave out numbers: a null round has no block. An answer without a block never proves that, because a node
 * that lags answers alike. The next block proves it: it names the hash of its parent, which is the block before the null round.
 */

export type AskedBlock = { readonly number: number; readonly outcome: RpcOutcome }

/** Distances at which to look, on each side of a block that is missing: at first the nearest, then more. */
const nearby = Array.from({ length: 32 }, (_, at) => at + 1)
const distances = [nearby.slice(0, 4), nearby.slice(4)]

/**
 * The blocks by number. Numbers that are proven to have none are left out. Throws `TransportError` for a block that the node does not return
 * although the chain may have it.
 */
export async function existingBlocks(
  calls: EvmCalls,
  asked: readonly AskedBlock[],
  signal: AbortSignal | undefined,
): Promise<Map<number, Json>> {
  const blocks = new Map<number, Json>()
  const missing = new Map<number, unknown>()
  for (const { number, outcome } of asked) {
    try {
      blocks.set(number, inOrder(blockOf(number, outcome)))
    } catch (error) {
      if (errorKind(error) !== 'lagging') throw error
      missing.set(number, error)
    }
  }
  const none = await nullRounds(calls, blocks, [...missing.keys()], signal)
  for (const [number, error] of missing) if (!none.has(number)) throw error
  return blocks
}

/**
 * A block with its transactions in the order of their indices: Hedera appends those that it makes itself. Where the hash of the block derives
 * from its header, the order is part of the block, and the decoder refuses another.
 */
function inOrder(block: Json): Json {
  const { transactions } = block
  if (!Array.isArray(transactions) || !transactions.every(isObject)) return block
  const sorted = inOrderOf('transactionIndex', transactions)
  return sorted === transactions || headerShape(block) !== null ? block : { ...block, transactions: sorted }
}

/** A list in the order of an index: the same list if it is in order. Most lists are, and `Number` reads faster than `countOf`. */
export function inOrderOf(name: string, list: readonly Json[]): readonly Json[] {
  const falls = list.some((each, at) => at > 0 && Number(each[name]) < Number(list[at - 1]![name]))
  return falls ? list.toSorted((a, b) => Number(a[name]) - Number(b[name])) : list
}

/** Which of the missing numbers have no block in the chain. `known` are blocks that need no request. */
async function nullRounds(
  calls: EvmCalls,
  known: ReadonlyMap<number, Json>,
  missing: readonly number[],
  signal: AbortSignal | undefined,
): Promise<Set<number>> {
  const blocks = new Map<number, Json | null>(known)
  for (const number of missing) blocks.set(number, null)
  const none = new Set<number>()
  for (const number of missing) {
    if (none.has(number)) continue
    const next = await nearest(calls, blocks, number, 1, signal)
    const before = next === null ? null : await nearest(calls, blocks, number, -1, signal)
    if (next === null || before === null || next.block['parentHash'] !== before.block['hash']) continue
    for (let between = before.number + 1; between < next.number; between++) none.add(between)
  }
  return none
}

/** The nearest block that the node returns in a direction; null if there is none nearby. Adds what it requests to `blocks`. */
async function nearest(
  calls: EvmCalls,
  blocks: Map<number, Json | null>,
  number: number,
  direction: 1 | -1,
  signal: AbortSignal | undefined,
) {
  for (const steps of distances) {
    const numbers = steps.map((step) => number + direction * step).filter((at) => at >= 0)
    const next = numbers.find((at) => blocks.get(at) !== null)
    if (next !== undefined && !blocks.has(next)) {
      const unknown = numbers.filter((at) => !blocks.has(at))
      for (const asked of await askBlocks(calls, unknown, false, { signal }))
        blocks.set(asked.number, blockOrNull(asked.number, asked.outcome))
    }
    const found = numbers.find((at) => (blocks.get(at) ?? null) !== null)
    if (found !== undefined) return { number: found, block: blocks.get(found)! }
  }
  return null
}

/**
 * The block that a decimal number or a tag names now (eth_getBlockByNumber): its number, its hash (`0x` and lower-case hex), and its time in
 * microseconds since 1970 UTC. Throws `ConfigError` if the chain has no such block, and `DecodeError` if the answer does not have these.
 */
export async function readEvmBlockHead(connection: Connection, route: string, wanted: string, signal?: AbortSignal) {
  const name = /^\d+$/.test(wanted) ? hex(Number(wanted)) : wanted
  const block = await callRpc(connection, route, 'eth_getBlockByNumber', [name, false], { signal }).catch((error) => {
    // Nodes before Helicon answer so for a block beyond the head.
    if (error instanceof RpcError && /unfinalized data/.test(error.answer)) return null
    throw error
  })
  if (block === null)
    throw new ConfigError(`The chain has no block ${wanted} yet.`, {
      code: 'config.no-block',
      hint: 'Name an existing block, or the tag finalized.',
    })
  const field = (name: string): string => {
    const value = isObject(block) ? block[name] : undefined
    return typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value) ? value : ''
  }
  const [number, hash] = [field('number'), field('hash')]
  const time = isObject(block) ? blockTimeOf(block) : null
  if (number === '' || hash.length !== 66 || typeof time !== 'bigint' || !Number.isSafeInteger(Number(number)))
    throw unusable(`eth_getBlockByNumber of ${wanted}`, 'not a block')
  return { number: Number(number), hash: hash.toLowerCase(), time }
}

/** Reads the times of blocks of an EVM chain, from their headers (eth_getBlockByNumber). */
export function evmBlockTimes(calls: EvmCalls): NonNullable<RangeSource<unknown>['times']> {
  return async (from, to, signal) => {
    const numbers = Array.from({ length: to - from }, (_, at) => from + at)
    const blocks = new Map<number, Json>()
    for (const { number, outcome } of await askBlocks(calls, numbers, false, { signal })) {
      const block = blockOrNull(number, outcome)
      if (block !== null) blocks.set(number, block)
    }
    const missing = numbers.filter((number) => !blocks.has(number))
    const none = await nullRounds(calls, blocks, missing, signal)
    return numbers.map((number) => {
      const block = blocks.get(number)
      if (block !== undefined) return timeOf(number, block)
      return none.has(number) ? 'unknown' : 'missing'
    })
  }
}

function timeOf(number: number, block: Json): RecordTime {
  const time = blockTimeOf(block)
  if (time !== null) return time
  throw new DecodeError(`Block ${number} of the node has no timestamp.`, {
    code: 'decode.field',
    details: { method: 'eth_getBlockByNumber', 'block number': number },
    hint: 'Check that the URL is the JSON-RPC of an EVM chain.',
  })
}

/**
 * Identifies the chain that the path serves, whatever its URL, by its id and the hash of block 0 (eth_chainId, `readBlockHash`). Throws
 * `DecodeError` for unusable answers.
 */
export async function identifyEvmChain(connection: Connection, route: string, signal?: AbortSignal) {
  const chainId = await unlessOutage(() => callRpc(connection, route, 'eth_chainId', [], { signal }), signal)
  if (typeof chainId !== 'string' || !/^0x[0-9a-f]{1,64}$/i.test(chainId))
    throw unusable('eth_chainId', 'not a quantity')
  return { chainId: BigInt(chainId), genesisHash: await readBlockHash(connection, route, 0, signal) }
}

/** The hash of a block, `0x` and lower-case hex; null if the node does not have the block. */
export async function readBlockHash(connection: Connection, route: string, number: number, signal?: AbortSignal) {
  const { method, params } = blockCall(hex(number), false)
  // Nodes say in many words and codes that they have pruned a block, or do not have it yet.
  const ask = () => callRpc(connection, route, method, params, { signal })
  const block = await unlessOutage(ask, signal).catch(nullIfRefused)
  if (block === null) return null
  const hash = isObject(block) ? block['hash'] : null
  if (typeof hash === 'string' && /^0x[0-9a-f]{64}$/i.test(hash)) return hash.toLowerCase()
  throw unusable('eth_getBlockByNumber', 'not a block with a hash')
}

/** Value of the column `network` for a chain that is only known by its RPC: the C-Chains of known networks have theirs. */
export function evmNetworkName(chainId: bigint): string {
  const networkId = networkOfCChain(chainId)
  return networkId === null ? `evm-${chainId}` : networkName(networkId)
}

/** `call`: its method, and what it is of. */
function unusable(call: string, what: string): DecodeError {
  return new DecodeError(`The answer to ${call} is ${what}.`, {
    code: 'decode.field',
    details: { method: call.split(' ')[0] },
    hint: 'Check that the URL is the JSON-RPC of an EVM chain, such as http://127.0.0.1:9650/ext/bc/C/rpc.',
  })
}
