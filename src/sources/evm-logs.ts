import type { Connection } from '../define/connection.ts'
import type { RangeSource } from '../define/index.ts'
import { TransportError } from '../errors.ts'
import { chunksOf } from '../lib/chunks.ts'
import type { EvmBlockLogs } from '../model.ts'
import { askAgain } from './ask-again.ts'
import {
  blockCall,
  blockOf,
  countOf,
  finalHeadOf,
  hex,
  isObject,
  type Json,
  nothingFinal,
  resultOf,
  usualFinality,
} from './evm-answers.ts'
import { evmBlockTimes } from './evm-block-head.ts'
import { type AskOptions, createEvmCalls, mostCalls } from './evm-calls.ts'
import { isLagging } from './evm-refusals.ts'
import { isPassedBy, type LogFilter } from './log-filter.ts'
import { adaptWindows, askWhatFits, goodAnswerBytes, patienceOfNodes, windowTooLarge } from './window-size.ts'

export type EvmLogsOptions = {
  readonly filter: LogFilter
  /** See `EvmBlocksOptions`. */
  readonly finality?: number
  /** How often logs are requested from a node that seems to lag behind. Default 4. */
  readonly tries?: number
  /** Bound of the wait before the second of these tries; it doubles. Default 500 ms. */
  readonly waitMs?: number
}

/** Blocks of the first window: public nodes accept no more. */
const firstBlocks = 2048
/** Blocks of the longest window, however few logs there are. */
const mostBlocks = 2 ** 20
/** Windows with larger answers are halved: parsed logs take many times the memory of their text, and several windows are under way. */
const mostAnswerBytes = 4 * goodAnswerBytes

/**
 * Logs of an EVM chain that pass a filter, read by the JSON-RPC at `route` (eth_getLogs, and eth_getBlockByNumber for the times of the
 * blocks). Coordinates are block numbers; records are blocks with such logs. The source throws a `TransportError` unless all logs are in
 * the window, in order, pass the filter, and name the block that the node has at their number.
 *
 * A node that lags behind returns the logs of the blocks that it has, without an error. So the same batch requests the last block of the
 * window: a node that has this block has all blocks before it.
 */
export function createEvmLogs(
  connection: Connection,
  route: string,
  { filter, finality = usualFinality, tries = 4, waitMs = 500 }: EvmLogsOptions,
): RangeSource<EvmBlockLogs> {
  const calls = createEvmCalls(connection, route)
  const size = adaptWindows({
    first: firstBlocks,
    largest: mostBlocks,
    good: goodAnswerBytes,
    growth: 2,
    patience: patienceOfNodes,
  })

  async function read(
    from: number,
    to: number,
    { signal, tries }: Pick<AskOptions, 'signal' | 'tries'>,
  ): Promise<EvmBlockLogs[]> {
    const last = to - 1
    const getLogs = { fromBlock: hex(from), toBlock: hex(last), ...requested(filter) }
    const { outcomes, size: length } = await calls.ask(
      [{ method: 'eth_getLogs', params: [getLogs] }, blockCall(hex(last), false)],
      { signal, tries, together: 2, ...(last > from ? { maxBytes: mostAnswerBytes, cut: false } : {}) },
    )
    const logs = logsOf(resultOf(outcomes[0]!))
    const known = new Map([[last, blockOf(last, outcomes[1]!)]])
    const byBlock = inBlocks(logs, { from, to }, filter)
    const numbers = [...byBlock.keys()].filter((number) => !known.has(number))
    for (const chunk of chunksOf(numbers, mostCalls)) {
      const headers = await calls.ask(
        chunk.map((number) => blockCall(hex(number), false)),
        { signal },
      )
      for (const [at, number] of chunk.entries()) known.set(number, blockOf(number, headers.outcomes[at]!))
    }
    size.answered(to - from, length)
    return [...byBlock].map(([number, logs]) => {
      const block = known.get(number)!
      const own = String(block['hash']).toLowerCase()
      const other = logs.find((log) => String(log['blockHash']).toLowerCase() !== own)
      if (other !== undefined) throw otherBlock(number, other, block)
      return { number, block, logs }
    })
  }

  return {
    ...finalHeadOf(calls, route, finality),
    whyEmpty: () => nothingFinal(finality),
    times: evmBlockTimes(calls),
    windowSize: size.current,
    async window(from, to, signal) {
      const again = { isTransient: isLagging, tries, waitMs }
      const answered = await askWhatFits({
        size,
        count: to - from,
        ask: (count, tries) => askAgain(() => read(from, from + count, { signal, tries }), again, signal),
      })
      if (answered !== null && answered.count === to - from) return answered.answer
      throw windowTooLarge('The node does not return the logs of this many blocks.', { from, to, blocks: to - from })
    },
    at: ({ number }) => number,
  }
}

function requested({ contracts, topics }: LogFilter): object {
  return {
    ...(contracts.length === 0 ? {} : { address: contracts }),
    ...(topics.length === 0 ? {} : { topics: topics.map((choices) => (choices.length === 0 ? null : choices)) }),
  }
}

function logsOf(result: unknown): readonly Json[] {
  if (Array.isArray(result) && result.every(isObject)) return result
  throw wrongLogs('is not a list of logs', {})
}

/** Logs by block, in the order of the chain, whatever the order of the answer. */
function inBlocks(logs: readonly Json[], { from, to }: { from: number; to: number }, filter: LogFilter) {
  const placed = logs.map((log) => {
    const [number, index] = [countOf(log['blockNumber']), countOf(log['logIndex'])]
    const details = { 'block number': number, 'log index': index }
    if (number === null || index === null) throw wrongLogs('has a log without a block number or log index', details)
    if (number < from || number >= to) throw wrongLogs('has a log of another block', details)
    if (!isPassedBy(filter, log)) throw wrongLogs('has a log that does not pass the filter', details)
    return { log, number, transaction: countOf(log['transactionIndex']) ?? 0, index }
  })
  placed.sort((a, b) => a.number - b.number || a.transaction - b.transaction || a.index - b.index)
  const blocks = new Map<number, Json[]>()
  for (const [at, { log, number, transaction, index }] of placed.entries()) {
    const before = placed[at - 1]
    if (before?.number === number && before.transaction === transaction && before.index === index)
      throw wrongLogs('has two logs with one index', { 'block number': number, 'log index': index })
    const own = blocks.get(number) ?? []
    own.push(log)
    blocks.set(number, own)
  }
  return blocks
}

function otherBlock(number: number, log: Json, block: Json): TransportError {
  return new TransportError(`The logs of block ${number} belong to another block than the one that the node returns.`, {
    code: 'evm.other-block',
    details: { 'block number': number, 'of the logs': String(log['blockHash']), 'of the block': String(block['hash']) },
    hint: 'Nothing of this window was written. Behind a load balancer nodes may disagree: use the URL of one node, or run again later.',
  })
}

function wrongLogs(what: string, details: Record<string, number | null>): TransportError {
  return new TransportError(`The answer to eth_getLogs ${what}.`, {
    code: 'evm.logs',
    retryable: false,
    details,
    hint: 'Nothing of this window was written. The node, or a gateway in front of it, does not follow the request: use another node.',
  })
}
