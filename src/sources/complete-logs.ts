import { bloomOf } from '../../codec/bloom.ts'
import { TransportError } from '../errors.ts'
import type { RpcOutcome } from '../fetch/json-rpc.ts'
import { chunksOf } from '../lib/chunks.ts'
import { countOf, failureAt, hex, isObject, type Json, otherBlockAt } from './evm-answers.ts'
import { type EvmCalls, mostCalls } from './evm-calls.ts'
import { isBehind } from './evm-refusals.ts'
import { isPassedBy, type LogFilter } from './log-filter.ts'

/**
 * A node answers eth_getLogs for the blocks that it has, without a word about the others. Behind a gateway another node may return the headers,
 * so that nothing in the answer shows that logs are missing. Two things do: a node that is asked for the logs of one block by its hash fails if
 * it does not have the block, and the Bloom filter of a header says which logs a block may have.
 */
type LogChecks = {
  /** The logs of blocks that the node was asked for one by one, by their hashes; by number. */
  byHash(blocks: ReadonlyMap<number, Json>, signal: AbortSignal | undefined): Promise<Map<number, readonly Json[]>>
  /**
   * The logs of blocks for which eth_getLogs returned none although their Bloom filters say that there may be some, from their receipts. The
   * newest blocks come first: after `most` blocks without a missing log it stops. It leaves out blocks without readable receipts.
   */
  missing(
    blocks: ReadonlyMap<number, Json>,
    found: ReadonlyMap<number, readonly Json[]>,
    most: number,
    signal: AbortSignal | undefined,
  ): Promise<Map<number, readonly Json[]>>
}

/** Receipts of blocks that are requested at once. */
const receiptsAtOnce = 4

export function createLogChecks(calls: EvmCalls, filter: LogFilter, requested: object): LogChecks {
  const mayHold = bloomTest(filter)
  /** Whether the node understands `blockHash`. */
  let knowsHashes = true

  async function logsByHash(blocks: readonly (readonly [number, Json])[], signal: AbortSignal | undefined) {
    const { outcomes } = await calls.ask(
      blocks.map(([, block]) => ({ method: 'eth_getLogs', params: [{ blockHash: block['hash'], ...requested }] })),
      { signal },
    )
    return blocks.map(([number, block], at) => logsOfBlock(number, block, outcomes[at]!, filter))
  }

  return {
    async byHash(blocks, signal) {
      const found = new Map<number, readonly Json[]>()
      for (const chunk of chunksOf([...blocks], mostCalls)) {
        if (!knowsHashes) break
        const logs = await logsByHash(chunk, signal)
        if (logs.includes(null)) knowsHashes = false
        else for (const [at, [number]] of chunk.entries()) found.set(number, logs[at]!)
      }
      return found
    },
    async missing(blocks, found, most, signal) {
      const suspects = [...blocks]
        .filter(([number, block]) => !found.has(number) && mayHold(block['logsBloom']))
        .sort(([a], [b]) => b - a)
      const missing = new Map<number, readonly Json[]>()
      let checked = 0
      for (const chunk of chunksOf(suspects, receiptsAtOnce)) {
        if (checked >= most && missing.size === 0) break
        checked += chunk.length
        const { outcomes } = await calls.ask(
          chunk.map(([number]) => ({ method: 'eth_getBlockReceipts', params: [hex(number)] })),
          { signal },
        )
        for (const [at, [number, block]] of chunk.entries()) {
          const logs = logsInReceipts(block, outcomes[at]!, filter)
          if (logs.length > 0) missing.set(number, logs)
        }
      }
      return missing
    },
  }
}

/**
 * The logs of a block that the node was asked for by its hash; null if the node does not understand such a request. Throws if it does not have
 * the block.
 */
function logsOfBlock(number: number, block: Json, outcome: RpcOutcome, filter: LogFilter): readonly Json[] | null {
  if ('error' in outcome) {
    if (isBehind(outcome.error)) throw failureAt(number, outcome.error)
    return null
  }
  const logs = outcome.result
  if (!Array.isArray(logs) || !logs.every(isObject)) return null
  const isOwn = (log: Json): boolean => countOf(log['blockNumber']) === number && isPassedBy(filter, log)
  if (!logs.every(isOwn)) return null
  const other = logs.find((log) => !isOf(block, log))
  if (other !== undefined) throw otherBlockAt(number, 'logs', { of: other['blockHash'], block: block['hash'] })
  return logs
}

function isOf(block: Json, log: Json): boolean {
  return String(log['blockHash']).toLowerCase() === String(block['hash']).toLowerCase()
}

/** The logs in receipts of a block that pass the filter; none where the answer is not about this block. */
function logsInReceipts(block: Json, outcome: RpcOutcome, filter: LogFilter): readonly Json[] {
  const receipts = 'result' in outcome && Array.isArray(outcome.result) ? outcome.result.filter(isObject) : []
  const logs = receipts.flatMap((receipt) => (Array.isArray(receipt['logs']) ? receipt['logs'].filter(isObject) : []))
  return logs.filter((log) => isOf(block, log) && isPassedBy(filter, log))
}

/** The logs of a block from two answers: both are of this block, so the one with more is whole. Throws if neither has all of the other's. */
export function mergedLogs(number: number, some: readonly Json[], others: readonly Json[]): readonly Json[] {
  const keyOf = (log: Json): string => `${countOf(log['transactionIndex'])} ${countOf(log['logIndex'])}`
  const [more, fewer] = some.length >= others.length ? [some, others] : [others, some]
  const keys = new Set(more.map(keyOf))
  if (fewer.every((log) => keys.has(keyOf(log)))) return more
  throw incompleteLogs(number)
}

/** The error for an answer to eth_getLogs that does not have the logs of a block. */
export function incompleteLogs(number: number): TransportError {
  return new TransportError(`The answer to eth_getLogs does not have the logs of block ${number}.`, {
    code: 'evm.incomplete-logs',
    details: { 'block number': number },
    hint: 'Nothing of this window was written. Behind a gateway one node may lag behind, or have no old logs: use the URL of one node with all logs, or run again later.',
  })
}

type Bit = { readonly byte: number; readonly bits: number }

/** Tests whether a Bloom filter, as a header states it, allows for logs that pass a filter. Some chains state constants, which say nothing. */
function bloomTest({ contracts, topics }: LogFilter): (bloom: unknown) => boolean {
  const choices = [contracts, ...topics].filter((texts) => texts.length > 0).map((texts) => texts.map(bitsOf))
  return (bloom) => {
    if (typeof bloom !== 'string' || !/^0x[0-9a-f]{512}$/i.test(bloom) || /^0x(0*|f*)$/i.test(bloom)) return false
    const bytes = Buffer.from(bloom.slice(2), 'hex')
    return choices.every((texts) => texts.some((own) => own.every(({ byte, bits }) => (bytes[byte]! & bits) === bits)))
  }
}

function bitsOf(text: string): Bit[] {
  return [...bloomOf([text]).entries()].flatMap(([byte, bits]) => (bits === 0 ? [] : [{ byte, bits }]))
}
