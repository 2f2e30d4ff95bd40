import type { Connection } from '../../define/connection.ts'
import type { RangeSource } from '../../define/index.ts'
import { type ErrorFacts, RpcError, TransportError } from '../../errors.ts'
import type { RpcCall, RpcOutcome } from '../../fetch/json-rpc.ts'
import { chunksOf } from '../../lib/chunks.ts'
import type { EvmBlockTraces } from '../../model.ts'
import { askAgain, type LagOptions, patienceOf } from '../ask-again.ts'
import { blockCall, blockOf, finalHead, hex, type Json, otherBlock, receiptCall } from '../evm-answers.ts'
import { evmBlockRange } from '../evm-block-range.ts'
import { createEvmCalls, mostCalls } from '../evm-calls.ts'
import { isLagging, isMissingState } from '../evm-refusals.ts'
import { existingBlocks } from '../null-rounds.ts'
import { firstWithState } from '../state/missing-state.ts'
import {
  adaptWindows,
  askWhatFits,
  goodAnswerBytes,
  isTimedOut,
  maxAnswerBytes,
  mayBeSize,
  patienceOfNodes,
  triesToCut,
  unlessLasting,
} from '../window-size.ts'
import {
  isOfNode,
  mayBeUntraced,
  type Traced,
  type Tracer,
  tooMuchForOne,
  traceBlockCall,
  tracedBy,
  tracedOf,
  traceTransactionCall,
  tracingFailure,
  transactionHashesOf,
} from './trace-answers.ts'

export type EvmTracesOptions = LagOptions & {
  /** Each traces every transaction. */
  readonly tracers: readonly Tracer[]
  /** What the block of a record has of its transactions. Default: hashes. */
  readonly transactions?: 'hashes' | 'whole'
  /** See `EvmBlocksOptions`. */
  readonly finality?: number
  readonly step?: number
}

type Wish = { readonly numbers: readonly number[]; readonly signal: AbortSignal | undefined }

/** Blocks of the first window. A node executes each of their transactions again, which may take seconds for a block. */
const firstBlocks = 4

/**
 * Blocks of an EVM chain with traces of all their transactions, read by the JSON-RPC at `route` (eth_getBlockByNumber and
 * debug_traceBlockByNumber in one batch). Coordinates are block numbers. The genesis block has no traces and is not traced. The source throws a
 * `TransportError` unless the traces are those of the transactions of the block. A transaction that chains do not trace, such as one of the
 * chain itself, has the trace null.
 *
 * Where the node refuses several blocks, it gets fewer of them. Where it refuses one, it gets its transactions (debug_traceTransaction).
 */
export function createEvmTraces(
  connection: Connection,
  route: string,
  options: EvmTracesOptions,
): RangeSource<EvmBlockTraces> {
  const { tracers, transactions = 'hashes', finality, step = 1 } = options
  const again = { isTransient: isLagging, ...patienceOf(connection, options) }
  const header = (number: number): RpcCall => blockCall(hex(number), transactions === 'whole')
  const calls = createEvmCalls(connection, route)
  const largest = Math.max(1, Math.floor(mostCalls / (1 + tracers.length)))
  const size = adaptWindows({
    first: firstBlocks,
    largest,
    good: goodAnswerBytes,
    growth: 2,
    patience: patienceOfNodes,
  })

  async function read({ numbers, signal }: Wish, tries?: number): Promise<(EvmBlockTraces | null)[]> {
    const requested = numbers.map((number) => [header(number), ...tracesOf(number)])
    const { outcomes, size: length } = await calls.ask(requested.flat(), {
      signal,
      tries,
      maxBytes: maxAnswerBytes,
      cut: false,
    })
    const records: (EvmBlockTraces | null)[] = []
    let taken = 0
    const answers = numbers.map((number, at) => {
      const [outcome, ...traces] = outcomes.slice(taken, taken + requested[at]!.length)
      taken += requested[at]!.length
      return { number, outcome: outcome!, traces }
    })
    const blocks = await existingBlocks(calls, answers, signal)
    for (const { number, traces } of answers) {
      const block = blocks.get(number)
      records.push(block === undefined ? null : await recordOf(number, block, traces, signal))
    }
    size.answered(numbers.length, length)
    return records
  }

  function tracesOf(number: number): RpcCall[] {
    return number === 0 ? [] : tracers.map((tracer) => traceBlockCall(number, tracer))
  }

  async function recordOf(
    number: number,
    block: Json,
    outcomes: readonly RpcOutcome[],
    signal: AbortSignal | undefined,
  ): Promise<EvmBlockTraces | null> {
    if (number === 0) return { number, block, transactionHashes: [], traces: tracers.map(() => []) }
    const transactionHashes = transactionHashesOf(number, block)
    const record = { number, block, transactionHashes }
    const traces: (readonly unknown[])[] = []
    for (const outcome of outcomes) {
      const traced = tracedOf(number, transactionHashes, await resultAt(number, outcome, signal))
      if (traced === null) return await readByTransaction(number, signal)
      traces.push(await resultsOf(record, traced, signal))
    }
    return { ...record, traces }
  }

  /** The results for the transactions of a block, null for those that the chain does not trace. Throws why another one has none. */
  async function resultsOf(
    record: Omit<EvmBlockTraces, 'traces'>,
    traced: readonly Traced[],
    signal: AbortSignal | undefined,
  ): Promise<unknown[]> {
    const failed = traced.flatMap((each, at) => ('error' in each ? [{ at, error: each.error }] : []))
    const ofNode = failed.find(({ error }) => isOfNode(error))
    if (ofNode !== undefined) throw await failureOf(record.number, ofNode.error, signal)
    for (const some of chunksOf(failed, mostCalls - 1)) {
      const own = await areUntraceable(
        record,
        some.map(({ at }) => at),
        signal,
      )
      const other = some.find((_, position) => own[position] !== true)
      if (other !== undefined)
        throw await failureOf(record.number, other.error, signal, {
          'transaction hash': record.transactionHashes[other.at],
        })
    }
    return traced.map((each) => ('result' in each ? each.result : null))
  }

  /** Whether the chain may leave transactions untraced: by the block and the receipts of these transactions, from one batch. */
  async function areUntraceable(
    { number, block, transactionHashes }: Omit<EvmBlockTraces, 'traces'>,
    positions: readonly number[],
    signal: AbortSignal | undefined,
  ): Promise<boolean[]> {
    const receipts = positions.map((at) => receiptCall(transactionHashes[at]))
    const { outcomes } = await calls.ask([blockCall(hex(number), true), ...receipts], { signal })
    const whole = blockOf(number, outcomes[0]!)
    if (whole['hash'] !== block['hash']) throw otherBlock(number)
    const transactions = whole['transactions'] as readonly unknown[]
    return positions.map((at, position) => {
      const outcome = outcomes[position + 1]!
      return 'result' in outcome && mayBeUntraced(transactions[at], outcome.result)
    })
  }

  async function resultAt(number: number, outcome: RpcOutcome, signal: AbortSignal | undefined): Promise<unknown> {
    if ('result' in outcome) return outcome.result
    throw await failureOf(number, outcome.error, signal)
  }

  /** The error of a block that the node does not trace. If its state is missing, the error names the next block that has it. */
  async function failureOf(
    number: number,
    error: RpcError | TransportError,
    signal: AbortSignal | undefined,
    details: ErrorFacts = {},
  ): Promise<RpcError | TransportError> {
    if (!(error instanceof RpcError)) return error
    if (!isMissingState(error)) return tracingFailure(number, error, { details })
    const first = await firstTraceable(number, signal)
    const hint = `The node has pruned the state before this block. Use an archive node (pruning-enabled: false)${first === null ? '.' : `, or begin with block ${first}, the next one that the node can trace.`}`
    return tracingFailure(number, error, { hint })
  }

  /** The next block with the state before it; null if the node has none, or fails to say it. */
  async function firstTraceable(number: number, signal: AbortSignal | undefined): Promise<number | null> {
    try {
      const { number: head } = await finalHead(calls, finality, signal)
      const first = head === null ? null : await firstWithState(calls, { without: number - 1, head }, signal)
      return first === null || first === head ? null : first + 1
    } catch (error) {
      signal?.throwIfAborted()
      // The state that is missing matters more than this request.
      if (error instanceof TransportError) return null
      throw error
    }
  }

  /** A block by one request for its header and one for each trace of each of its transactions; null for a null round. */
  async function readByTransaction(number: number, signal: AbortSignal | undefined): Promise<EvmBlockTraces | null> {
    const { outcomes } = await calls.ask([header(number)], { signal })
    const block = (await existingBlocks(calls, [{ number, outcome: outcomes[0]! }], signal)).get(number)
    if (block === undefined) return null
    const transactionHashes = transactionHashesOf(number, block)
    const traces: (readonly unknown[])[] = []
    for (const tracer of tracers) {
      const requested = transactionHashes.map((hash) => traceTransactionCall(hash, tracer))
      const outcomes = await readTransactions(number, requested, signal)
      const traced = outcomes.map(
        (outcome, at): Traced => ('error' in outcome ? outcome : tracedBy(transactionHashes[at]!, outcome.result)),
      )
      traces.push(await resultsOf({ number, block, transactionHashes }, traced, signal))
    }
    return { number, block, transactionHashes, traces }
  }

  /** The outcomes of calls that trace transactions. Throws the first one for which the node has too little time. */
  async function readTransactions(
    number: number,
    requested: readonly RpcCall[],
    signal: AbortSignal | undefined,
  ): Promise<readonly RpcOutcome[]> {
    try {
      const { outcomes } = await calls.ask(requested, { signal, maxBytes: maxAnswerBytes })
      const late = outcomes.find((outcome) => 'error' in outcome && isTimedOut(outcome.error))
      if (late !== undefined) await resultAt(number, late, signal)
      return outcomes
    } catch (error) {
      throw mayBeSize(error) ? tooMuchForOne(number, error) : error
    }
  }

  async function readWhatFits(wish: Wish): Promise<(EvmBlockTraces | null)[]> {
    const { signal } = wish
    const numbers = wish.numbers.slice(0, size.current())
    const ask = (count: number, tries?: number) =>
      askAgain(() => read({ numbers: numbers.slice(0, count), signal }, tries), again, signal)
    try {
      const answered = await askWhatFits({ size, count: numbers.length, ask: (count) => ask(count, triesToCut) })
      return answered === null ? await readWhatFits(wish) : answered.answer
    } catch (error) {
      if (!mayBeSize(error)) return await unlessLasting(error, () => ask(numbers.length))
      const record = await askAgain(() => readByTransaction(numbers[0]!, signal), again, signal)
      // The node traces the transactions of the block, and not all at once.
      if (numbers.length > 1) size.tooLarge(numbers.length)
      return [record]
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
