import type { Connection } from '../../define/connection.ts'
import type { RangeSource } from '../../define/index.ts'
import { type RpcError, TransportError } from '../../errors.ts'
import type { RpcCall, RpcOutcome } from '../../fetch/json-rpc.ts'
import type { EvmBlockTraces } from '../../model.ts'
import { askAgain } from '../ask-again.ts'
import { blockCall, blockOf, finalHead, hex, type Json, usualFinality } from '../evm-answers.ts'
import { evmBlockRange } from '../evm-block-range.ts'
import { createEvmCalls, mostCalls, type Outcomes } from '../evm-calls.ts'
import { isLagging, isMissingState } from '../evm-refusals.ts'
import { firstWithState } from '../state/missing-state.ts'
import { isTimedOut, isTooLarge } from '../too-large.ts'
import { adaptWindows, goodAnswerBytes, maxAnswerBytes } from '../window-size.ts'
import {
  resultsOf,
  type Tracer,
  tooMuchForOne,
  traceBlockCall,
  traceTransactionCall,
  tracingFailure,
  transactionHashesOf,
} from './trace-answers.ts'

export type EvmTracesOptions = {
  /** Each traces every transaction. */
  readonly tracers: readonly Tracer[]
  /** What the block of a record has of its transactions. Default: hashes. */
  readonly transactions?: 'hashes' | 'whole'
  /** See `EvmBlocksOptions`. */
  readonly finality?: number
  readonly step?: number
  readonly tries?: number
  readonly waitMs?: number
}

type Wish = { readonly numbers: readonly number[]; readonly signal: AbortSignal | undefined }

/** Blocks of the first window. A node executes each of their transactions again, which may take seconds for a block. */
const firstBlocks = 4
/** Number of good answers before a window may again be as long as one that was too large. */
const patience = 16
/** How often a request is sent that can still be cut into smaller ones. */
const triesToCut = 2

/**
 * Blocks of an EVM chain with traces of all their transactions, read by the JSON-RPC at `route` (eth_getBlockByNumber and
 * debug_traceBlockByNumber in one batch). Coordinates are block numbers. The genesis block has no traces and is not traced. The source throws a
 * `TransportError` unless the traces are those of the transactions of the block.
 *
 * An answer that is too large, or for which the node has too little time, is cut into fewer blocks, then into transactions
 * (debug_traceTransaction).
 */
export function createEvmTraces(
  connection: Connection,
  route: string,
  { tracers, transactions = 'hashes', finality = usualFinality, step = 1, tries = 4, waitMs = 500 }: EvmTracesOptions,
): RangeSource<EvmBlockTraces> {
  const header = (number: number): RpcCall => blockCall(hex(number), transactions === 'whole')
  const calls = createEvmCalls(connection, route)
  const largest = Math.max(1, Math.floor(mostCalls / (1 + tracers.length)))
  const size = adaptWindows({ first: firstBlocks, largest, good: goodAnswerBytes, growth: 2, patience })

  async function read({ numbers, signal }: Wish): Promise<EvmBlockTraces[]> {
    const requested = numbers.map((number) => [header(number), ...tracesOf(number)])
    const { outcomes, size: length } = await askWhatCanBeCut(requested.flat(), signal)
    const records: EvmBlockTraces[] = []
    let taken = 0
    for (const [at, number] of numbers.entries()) {
      const [header, ...traces] = outcomes.slice(taken, taken + requested[at]!.length)
      taken += requested[at]!.length
      records.push(await recordOf(number, blockOf(number, header!), traces, signal))
    }
    size.answered(numbers.length, length)
    return records
  }

  /** Sends calls with a bound for their answer. After two timeouts it gives up, so that the node soon gets fewer of them. */
  async function askWhatCanBeCut(requested: readonly RpcCall[], signal: AbortSignal | undefined): Promise<Outcomes> {
    const bounds = { signal, maxBytes: maxAnswerBytes }
    try {
      return await calls.ask(requested, { ...bounds, tries: triesToCut })
    } catch (error) {
      if (isTooMuch(error) || !(error instanceof TransportError) || !error.retryable) throw error
      return await calls.ask(requested, bounds)
    }
  }

  function tracesOf(number: number): RpcCall[] {
    return number === 0 ? [] : tracers.map((tracer) => traceBlockCall(number, tracer))
  }

  async function recordOf(
    number: number,
    block: Json,
    outcomes: readonly RpcOutcome[],
    signal: AbortSignal | undefined,
  ): Promise<EvmBlockTraces> {
    if (number === 0) return { number, block, transactionHashes: [], traces: tracers.map(() => []) }
    const transactionHashes = transactionHashesOf(number, block)
    const traces: (readonly unknown[])[] = []
    for (const outcome of outcomes) {
      const results = resultsOf(number, transactionHashes, await resultAt(number, outcome, signal))
      if (results === null) return await readByTransaction(number, signal)
      traces.push(results)
    }
    return { number, block, transactionHashes, traces }
  }

  async function resultAt(number: number, outcome: RpcOutcome, signal: AbortSignal | undefined): Promise<unknown> {
    if ('result' in outcome) return outcome.result
    throw await failureOf(number, outcome.error, signal)
  }

  /** The error of a block that the node does not trace. If its state is missing, the error names the next block that has it. */
  async function failureOf(number: number, error: RpcError, signal: AbortSignal | undefined): Promise<RpcError> {
    if (!isMissingState(error)) return tracingFailure(number, error)
    const first = await firstTraceable(number, signal)
    const hint = `The node has pruned the state before this block. Use an archive node (pruning-enabled: false)${first === null ? '.' : `, or begin with block ${first}, the next one that the node can trace.`}`
    return tracingFailure(number, error, { hint })
  }

  /** The next block with the state before it; null if the node has none, or fails to say it. */
  async function firstTraceable(number: number, signal: AbortSignal | undefined): Promise<number | null> {
    try {
      const head = await finalHead(calls, finality, signal)
      const first = head === null ? null : await firstWithState(calls, { without: number - 1, head }, signal)
      return first === null || first === head ? null : first + 1
    } catch (error) {
      signal?.throwIfAborted()
      // The state that is missing matters more than this request.
      if (error instanceof TransportError) return null
      throw error
    }
  }

  /** A block by one request for its header and one for each trace of each of its transactions. */
  async function readByTransaction(number: number, signal: AbortSignal | undefined): Promise<EvmBlockTraces> {
    const { outcomes } = await calls.ask([header(number)], { signal })
    const block = blockOf(number, outcomes[0]!)
    const transactionHashes = transactionHashesOf(number, block)
    const traces: (readonly unknown[])[] = []
    for (const tracer of tracers) {
      const requested = transactionHashes.map((hash) => traceTransactionCall(hash, tracer))
      traces.push(await readTransactions(number, requested, signal))
    }
    return { number, block, transactionHashes, traces }
  }

  /** The results of calls, which are halved while their answer is too large. */
  async function readTransactions(
    number: number,
    requested: readonly RpcCall[],
    signal: AbortSignal | undefined,
  ): Promise<readonly unknown[]> {
    if (requested.length === 0) return []
    const canCut = requested.length > 1
    try {
      const { outcomes } = canCut ? await askWhatCanBeCut(requested, signal) : await calls.ask(requested, { signal })
      const results: unknown[] = []
      for (const outcome of outcomes) results.push(await resultAt(number, outcome, signal))
      return results
    } catch (error) {
      if (!isTooMuch(error)) throw error
      if (!canCut) throw tooMuchForOne(number, error)
      const half = Math.ceil(requested.length / 2)
      return [
        ...(await readTransactions(number, requested.slice(0, half), signal)),
        ...(await readTransactions(number, requested.slice(half), signal)),
      ]
    }
  }

  async function readWhatFits(wish: Wish): Promise<EvmBlockTraces[]> {
    const { signal } = wish
    const numbers = wish.numbers.slice(0, size.current())
    const again = { isTransient: isLagging, tries, waitMs }
    try {
      return await askAgain(() => read({ numbers, signal }), again, signal)
    } catch (error) {
      if (!isTooMuch(error)) throw error
      size.tooLarge(numbers.length)
      if (numbers.length > 1) return await readWhatFits(wish)
      return [await askAgain(() => readByTransaction(numbers[0]!, signal), again, signal)]
    }
  }

  return evmBlockRange({
    calls,
    route,
    finality,
    step,
    size,
    readSome: (numbers, signal) => readWhatFits({ numbers, signal }),
  })
}

/** Whether fewer blocks or transactions may succeed. */
function isTooMuch(error: unknown): boolean {
  return isTooLarge(error) || isTimedOut(error)
}
