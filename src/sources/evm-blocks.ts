import type { RangeSource } from '../define/index.ts'
import { DecodeError, RpcError, TransportError } from '../errors.ts'
import type { RpcCall, RpcOutcome } from '../fetch/json-rpc.ts'
import type { Transport } from '../fetch/transport.ts'
import type { EvmBlock } from '../model.ts'
import { askAgain } from './ask-again.ts'
import { createEvmCalls, mostCalls } from './evm-calls.ts'
import { isTooLarge } from './too-large.ts'
import { createWindowSize, maxAnswerBytes } from './window-size.ts'

export type EvmBlocksOptions = {
  /** Blocks below the newest one that are not final, where the node does not say which are. Default 64. */
  readonly finality?: number
  /** Only blocks whose numbers are multiples of it. Default 1: all. */
  readonly step?: number
  /** Windows that are asked for at the same time; see `createWindowSize`. */
  readonly underWay?: number
  /** How often blocks are asked for that the node seems not to have yet. Default 4. */
  readonly tries?: number
  /** Bound of the wait before the second of these tries; it doubles. Default 500 ms. */
  readonly waitMs?: number
}

export const usualFinality = 64

type Json = Readonly<Record<string, unknown>>
type Wish = { readonly numbers: readonly number[]; readonly signal: AbortSignal | undefined }

/**
 * Blocks of an EVM chain with their receipts, by the JSON-RPC at `route` (eth_getBlockByNumber, eth_getBlockReceipts): coordinates
 * are block numbers. Where a node does not know eth_getBlockReceipts, each receipt is asked for by itself. Blocks are what the node
 * gave; only their numbers are checked here. A block that the node does not have though its head is beyond is a `TransportError`.
 */
export function createEvmBlocks(
  transport: Transport,
  route: string,
  options: EvmBlocksOptions = {},
): RangeSource<EvmBlock> {
  const { finality = usualFinality, step = 1, underWay = 1, tries = 4, waitMs = 500 } = options
  const calls = createEvmCalls(transport, route)
  // A block and its receipts are two calls of a batch.
  const size = createWindowSize(underWay, mostCalls / 2)
  let receiptsOfBlocks = true

  async function newest(tag: 'finalized' | 'latest', signal: AbortSignal | undefined): Promise<number | null> {
    const { outcomes } = await calls.ask([blockCall(tag, false)], { signal })
    const block = resultOf(outcomes[0]!)
    if (block === null) return null
    const number = isObject(block) ? numberOf(block) : null
    if (number !== null) return number
    throw new DecodeError(`The answer to eth_getBlockByNumber of ${tag} is no block with a number.`, {
      code: 'decode.field',
      hint: 'Check that the URL is the JSON-RPC of an EVM chain.',
    })
  }

  /** The blocks of a wish with their receipts. */
  async function read({ numbers, signal }: Wish): Promise<EvmBlock[]> {
    const bound = { signal, ...(numbers.length > 1 ? { maxBytes: maxAnswerBytes } : {}) }
    const asked = numbers.flatMap((number) => [
      blockCall(hex(number), true),
      ...(receiptsOfBlocks ? [{ method: 'eth_getBlockReceipts', params: [hex(number)] }] : []),
    ])
    const { outcomes, size: length } = await calls.ask(asked, bound)
    const each = outcomes.length / numbers.length
    const blocks = numbers.map((number, at) => blockOf(number, outcomes[at * each]!))
    const ofBlocks = outcomes.filter((_, at) => at % each === 1)
    if (each === 2 && !ofBlocks.some(isMissingMethod)) {
      size.answered(numbers.length, length)
      return numbers.map((number, at) => {
        const receipts = resultFor(number, ofBlocks[at]!)
        if (receipts === null) throw isLacking(number, 'no receipts of it')
        return { number, block: blocks[at]!, receipts }
      })
    }
    receiptsOfBlocks = false
    const hashes = blocks.map(hashesOf)
    const single = await calls.ask(hashes.flat().map(receiptCall), bound)
    size.answered(numbers.length, length + single.size)
    let taken = 0
    return numbers.map((number, at) => {
      const receipts = single.outcomes.slice(taken, taken + hashes[at]!.length).map((each) => resultFor(number, each))
      taken += receipts.length
      if (receipts.includes(null)) throw isLacking(number, 'no receipt of one of its transactions')
      return { number, block: blocks[at]!, receipts }
    })
  }

  async function readWhatFits(wish: Wish): Promise<EvmBlock[]> {
    const numbers = wish.numbers.slice(0, size.current())
    try {
      return await askAgain(() => read({ ...wish, numbers }), { isPassing: isBehind, tries, waitMs }, wish.signal)
    } catch (error) {
      if (!isTooLarge(error) || numbers.length === 1) throw error
      size.tooLarge(numbers.length)
      return await readWhatFits(wish)
    }
  }

  return {
    async head(signal) {
      try {
        const final = await newest('finalized', signal)
        if (final !== null) return final
      } catch (error) {
        // Nodes of before the merge and some gateways do not know the tag; others have nothing final yet.
        if (!(error instanceof RpcError) || error.retryable) throw error
      }
      const latest = await newest('latest', signal)
      return latest === null || latest < finality ? null : latest - finality
    },
    whyEmpty: () => `The node calls no block of the chain final yet, and its newest one is below number ${finality}.`,
    windowSize: () => size.current() * step,
    async window(from, to, signal) {
      const numbers: number[] = []
      for (let number = Math.ceil(from / step) * step; number < to; number += step) numbers.push(number)
      const blocks: EvmBlock[] = []
      while (blocks.length < numbers.length)
        for (const block of await readWhatFits({ numbers: numbers.slice(blocks.length), signal })) blocks.push(block)
      return blocks
    },
    ...(step === 1 ? { link: linkOf } : {}),
    at: ({ number }) => number,
    bytes: ({ block }) => countOf(block['size']) ?? 0,
  }
}

function linkOf({ number, block }: EvmBlock): { id: string; parentId: string | null } {
  return { id: String(block['hash']), parentId: number === 0 ? null : String(block['parentHash']) }
}

function blockCall(number: string, whole: boolean): RpcCall {
  return { method: 'eth_getBlockByNumber', params: [number, whole] }
}

function receiptCall(hash: unknown): RpcCall {
  return { method: 'eth_getTransactionReceipt', params: [hash] }
}

function hex(number: number): string {
  return `0x${number.toString(16)}`
}

function resultOf(outcome: RpcOutcome): unknown {
  if ('error' in outcome) throw outcome.error
  return outcome.result
}

/** The same of a call about a block, which errors name. */
function resultFor(number: number, outcome: RpcOutcome): unknown {
  if (!('error' in outcome)) return outcome.result
  const { message, rpcCode, answer, details } = outcome.error
  throw new RpcError(
    `Block ${number}: ${message}`,
    { code: rpcCode, answer },
    {
      details: { 'block number': number, ...details },
      hint: 'When the node has thrown away old blocks or receipts, use an archive node, or begin later.',
      cause: outcome.error,
    },
  )
}

function blockOf(number: number, outcome: RpcOutcome): Json {
  const block = resultFor(number, outcome)
  if (!isObject(block)) throw isLacking(number, 'it answers null')
  const found = numberOf(block)
  if (found !== number) throw isLacking(number, `it answers with ${found === null ? 'no number' : `block ${found}`}`)
  return block
}

/** The number of a block; null when it has none that counts anything. */
function numberOf({ number }: Json): number | null {
  return countOf(number)
}

function countOf(quantity: unknown): number | null {
  const value = typeof quantity === 'string' && /^0x[0-9a-f]+$/i.test(quantity) ? Number(quantity) : Number.NaN
  return Number.isSafeInteger(value) ? value : null
}

function hashesOf({ transactions }: Json): unknown[] {
  if (!Array.isArray(transactions)) return []
  return transactions.map((transaction: unknown) => (isObject(transaction) ? transaction['hash'] : transaction))
}

/** Whether a call failed because the node has no such method. */
function isMissingMethod(outcome: RpcOutcome): boolean {
  if (!('error' in outcome)) return false
  const { rpcCode, message } = outcome.error
  return (
    rpcCode === -32601 ||
    /does not exist|not available|not (be )?(found|supported|implemented)|unsupported/i.test(message)
  )
}

/** A node behind the one that told the head, which may have the block soon. */
function isBehind(error: unknown): boolean {
  if (error instanceof RpcError)
    return /cannot query unfinalized|(header|block|receipts?) (is |was )?not found|unknown block/i.test(error.message)
  return error instanceof TransportError && error.code === 'evm.missing-block'
}

function isLacking(number: number, why: string): TransportError {
  return new TransportError(`The node has no block ${number}, though its head is beyond: ${why}.`, {
    code: 'evm.missing-block',
    details: { 'block number': number },
    hint: 'Behind a load balancer one node may lag, and some nodes have thrown away old blocks or receipts: use the URL of one archive node, or run again later.',
  })
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
