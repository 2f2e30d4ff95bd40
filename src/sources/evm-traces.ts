import { contradictionOf, headerShape, provenTransactions } from '../../codec/evm/block-parts.ts'
import {
  accountByCalls,
  createdBy,
  isOpen,
  type ListedTransaction,
  type OpenState,
  openStates,
  type StateDiff,
  stateDiffsOf,
  type TracedAccount,
  type TracedCall,
} from '../../codec/evm/state-diffs.ts'
import type { Connection } from '../define/connection.ts'
import type { RangeSource } from '../define/index.ts'
import { type ErrorFacts, RpcError, TransportError } from '../errors.ts'
import type { RpcCall, RpcOutcome } from '../fetch/json-rpc.ts'
import { chunksOf } from '../lib/arrays.ts'
import { isObject } from '../lib/json.ts'
import type { EvmBlockDiffs, EvmBlockTraces } from '../model.ts'
import {
  type AskedBlock,
  askBlocks,
  askGroups,
  blockCall,
  blockOf,
  countOf,
  createEvmCalls,
  type EvmCalls,
  type EvmRangeOptions,
  existingBlocks,
  failureAt,
  finalHead,
  hashesOf,
  hex,
  isAt,
  type Json,
  missingBlock,
  mostCalls,
  otherBlock,
  receiptCall,
} from './evm-answers.ts'
import { evmBlockRange } from './evm-blocks.ts'
import { cellFailure, firstWithState } from './evm-state.ts'
import {
  adaptWindows,
  askAgain,
  askWhatFits,
  goodAnswerBytes,
  isTimedOut,
  type LagOptions,
  maxAnswerBytes,
  mayBeSize,
  patienceOf,
  triesToCut,
  unlessLasting,
} from './window-size.ts'

type EvmTracesOptions = EvmRangeOptions & {
  /** Each traces every transaction. */
  readonly tracers: readonly Tracer[]
  /** Whether each record has its transactions whole. Default: only where the header of the block does not prove that the list has no gaps. */
  readonly whole?: boolean
}

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
  const { tracers, finality, step = 1 } = options
  let { whole = false } = options
  const again = patienceOf(connection, options)
  const calls = createEvmCalls(connection, route)
  const largest = Math.max(1, Math.floor(mostCalls / (1 + tracers.length)))
  const size = adaptWindows({ first: firstBlocks, largest, good: goodAnswerBytes })

  async function read(
    numbers: readonly number[],
    signal: AbortSignal | undefined,
    tries: number | undefined,
    mayLack: boolean,
  ) {
    const requested = numbers.map((number) => [
      blockCall(hex(number), whole),
      ...(number === 0 ? [] : tracers.map((tracer) => traceBlockCall(number, tracer))),
    ])
    const options = { signal, tries, maxBytes: maxAnswerBytes, cut: false }
    const { groups, size: length } = await askGroups(calls, requested, options)
    const records: (EvmBlockTraces | null)[] = []
    const answers = numbers.map((number, at) => {
      const [outcome, ...traces] = groups[at]!
      return { number, outcome: outcome!, traces }
    })
    const blocks = await indexedBlocks(answers, signal)
    for (const { number, traces } of answers) {
      const block = blocks.get(number)
      records.push(block === undefined ? null : await recordOf(number, block, traces, signal, mayLack))
    }
    size.answered(numbers.length, length)
    return records
  }

  /**
   * Blocks with whole transactions, or with hashes if the header proves that the list has no gaps. If one header proves nothing, this and all
   * later blocks are requested whole.
   */
  async function indexedBlocks(
    asked: readonly AskedBlock[],
    signal: AbortSignal | undefined,
  ): Promise<Map<number, Json>> {
    const blocks = await existingBlocks(calls, asked, signal)
    const unproven = [...blocks].filter(([number, block]) => number > 0 && isUnproven(block))
    if (unproven.length === 0) return blocks
    whole = true
    const numbers = unproven.map(([number]) => number)
    const again = await askBlocks(calls, numbers, true, { signal, maxBytes: maxAnswerBytes })
    for (const [number, block] of await existingBlocks(calls, again, signal)) {
      if (block['hash'] !== blocks.get(number)!['hash']) throw otherBlock(number)
      blocks.set(number, block)
    }
    return blocks
  }

  async function recordOf(
    number: number,
    block: Json,
    outcomes: readonly RpcOutcome[],
    signal: AbortSignal | undefined,
    mayLack: boolean,
  ): Promise<EvmBlockTraces | null> {
    if (number === 0) return { number, block, transactionHashes: [], traces: tracers.map(() => []) }
    const transactionHashes = transactionHashesOf(number, block)
    const record = { number, block, transactionHashes }
    const node = { calls, finality, signal }
    const traces: (readonly unknown[])[] = []
    for (const outcome of outcomes) {
      const traced = tracedOf(number, transactionHashes, await resultAt(node, number, outcome))
      if (traced === null) return await readByTransaction(number, signal, mayLack)
      traces.push(await resultsOf(node, record, traced))
    }
    return { ...record, traces }
  }

  /** A block by one request for it and one for each trace of each of its transactions; null for a null round. */
  async function readByTransaction(
    number: number,
    signal: AbortSignal | undefined,
    mayLack: boolean,
  ): Promise<EvmBlockTraces | null> {
    const asked = await askBlocks(calls, [number], whole, { signal })
    const block = (await indexedBlocks(asked, signal)).get(number)
    if (block === undefined) return null
    const node = { calls, finality, signal }
    // Nodes do not trace block 0.
    const transactionHashes = number === 0 ? [] : transactionHashesOf(number, block)
    const traces: (readonly unknown[])[] = []
    const elsewhere = await executedElsewhere(node, { number, block, transactionHashes })
    if (elsewhere.size > 0 && !mayLack) throw missingBlock(number, 'a receipt names another block')
    for (const tracer of tracers) {
      const requested = transactionHashes.map((hash) => ({ method: 'debug_traceTransaction', params: [hash, tracer] }))
      const outcomes = await readTransactions(node, number, requested)
      const traced = outcomes.map((outcome, at): Traced => {
        if (elsewhere.has(at)) return { result: null }
        return 'error' in outcome ? outcome : tracedBy(transactionHashes[at]!, outcome.result)
      })
      traces.push(await resultsOf(node, { number, block, transactionHashes }, traced))
    }
    return { number, block, transactionHashes, traces }
  }

  async function readWhatFits(
    wanted: readonly number[],
    signal: AbortSignal | undefined,
  ): Promise<(EvmBlockTraces | null)[]> {
    const numbers = wanted.slice(0, size.current())
    const ask = (count: number, tries?: number) =>
      askAgain(
        (mayLack) => read(numbers.slice(0, count), signal, tries, mayLack),
        { ...again, outageTries: tries },
        signal,
      )
    try {
      const answered = await askWhatFits({ size, count: numbers.length, ask: (count) => ask(count, triesToCut) })
      return answered === null ? await readWhatFits(wanted, signal) : answered.answer
    } catch (error) {
      // Some nodes trace transactions only.
      const isUnsupported = error instanceof RpcError && error.kind === 'unsupported'
      if (!mayBeSize(error) && !isUnsupported) return await unlessLasting(error, () => ask(numbers.length))
      const record = await askAgain((mayLack) => readByTransaction(numbers[0]!, signal, mayLack), again, signal)
      // The node traces the transactions of the block, and not all at once.
      if (numbers.length > 1) size.tooLarge(numbers.length)
      return [record]
    }
  }

  return evmBlockRange({ calls, route, finality, step, size, readSome: readWhatFits })
}

/** What requests need that explain a failure. */
type AskedNode = { calls: EvmCalls; finality: EvmRangeOptions['finality']; signal: AbortSignal | undefined }

type Untraced = Omit<EvmBlockTraces, 'traces'>

/** The results for the transactions of a block, null for those that the chain does not trace. Throws why another one has none. */
async function resultsOf(node: AskedNode, record: Untraced, traced: readonly Traced[]): Promise<unknown[]> {
  const failed = traced.flatMap((each, at) => ('error' in each ? [{ at, error: each.error }] : []))
  // Such a refusal says nothing about the transaction: the node fails likewise for others, or may answer later.
  const ofNode = failed.find(({ error }) => error instanceof RpcError && error.kind !== 'lasting')
  if (ofNode !== undefined) throw await failureOf(node, record.number, ofNode.error)
  for (const some of chunksOf(failed, mostCalls - 1)) {
    const own = await areUntraceable(node, record, some)
    const other = some.find((_, position) => own[position] !== true)
    if (other !== undefined)
      throw await failureOf(node, record.number, other.error, {
        'transaction hash': record.transactionHashes[other.at],
      })
  }
  return traced.map((each) => ('result' in each ? each.result : null))
}

/**
 * The positions of transactions that a block lists and did not execute, by their receipts. A node traces such a transaction by its hash as it
 * was executed elsewhere. Where the header proves the transactions, the block executed all.
 */
async function executedElsewhere({ calls, signal }: AskedNode, record: Untraced): Promise<Set<number>> {
  const { number, block, transactionHashes: hashes } = record
  if (hashes.length === 0 || listsHashes(block) || headerShape(block) !== null) return new Set()
  const transactions = block['transactions'] as readonly Json[]
  const { outcomes } = await calls.ask(hashes.map(receiptCall), { signal })
  // Some chains count transactions otherwise in receipts, so the index matters only for one that is listed twice.
  const indexOf = (at: number) =>
    hashes.indexOf(hashes[at]!) === hashes.lastIndexOf(hashes[at]!)
      ? null
      : countOf(transactions[at]!['transactionIndex'])
  const isElsewhere = (outcome: RpcOutcome, at: number) =>
    'result' in outcome && !isAt(number, outcome.result, indexOf(at))
  return new Set(outcomes.flatMap((outcome, at) => (isElsewhere(outcome, at) ? [at] : [])))
}

/**
 * Whether the chain may leave transactions untraced: by the block and the receipts of these transactions, from one batch. One that the block
 * certainly has was executed, whatever its receipt is.
 */
async function areUntraceable(
  { calls, signal }: AskedNode,
  { number, block, transactionHashes }: Untraced,
  failed: readonly { readonly at: number; readonly error: RpcError | TransportError }[],
): Promise<boolean[]> {
  const receipts = failed.map(({ at }) => receiptCall(transactionHashes[at]))
  const isMissing = listsHashes(block)
  // Its header says that the node has the block, and so its receipts.
  const { outcomes } = await calls.ask([blockCall(hex(number), isMissing), ...receipts], { signal })
  const found = blockOf(number, outcomes[0]!)
  if (found['hash'] !== block['hash']) throw otherBlock(number)
  const whole = isMissing ? found : block
  const transactions = whole['transactions'] as readonly unknown[]
  const proven: readonly unknown[] = provenTransactions(whole)
  return failed.map(({ at, error }, position) => {
    const [transaction, outcome] = [transactions[at], outcomes[position + 1]!]
    if (!isObject(transaction) || 'error' in outcome || proven.includes(transaction)) return false
    return mayBeUntraced(
      transaction,
      headerShape(whole) === null && !isAt(number, outcome.result) ? null : outcome.result,
      error,
    )
  })
}

async function resultAt(node: AskedNode, number: number, outcome: RpcOutcome): Promise<unknown> {
  if ('result' in outcome) return outcome.result
  throw await failureOf(node, number, outcome.error)
}

/** The error of a block that the node does not trace. If its state is missing, the error names the next block that has it. */
async function failureOf(node: AskedNode, number: number, error: RpcError | TransportError, details: ErrorFacts = {}) {
  if (!(error instanceof RpcError)) return error
  if (error.kind !== 'pruned') return failureAt(number, error, { details, hint: hintFor(error) })
  const first = await firstTraceable(node, number)
  const hint = `The node has pruned the state before this block. Use an archive node (pruning-enabled: false)${first === null ? '.' : `, or begin with block ${first}, the next one that the node can trace.`}`
  return failureAt(number, error, { hint })
}

/** The next block with the state before it; null if the node has none, or fails to say it. */
async function firstTraceable({ calls, finality, signal }: AskedNode, number: number): Promise<number | null> {
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

/** The outcomes of calls that trace transactions. Throws the first one for which the node has too little time. */
async function readTransactions(node: AskedNode, number: number, requested: readonly RpcCall[]) {
  try {
    const { outcomes } = await node.calls.ask(requested, { signal: node.signal, maxBytes: maxAnswerBytes })
    const late = outcomes.find((outcome) => 'error' in outcome && isTimedOut(outcome.error))
    if (late !== undefined) await resultAt(node, number, late)
    return outcomes
  } catch (error) {
    throw mayBeSize(error) ? tooMuchForOne(number, error) : error
  }
}

/** Every call of a transaction, without its logs. */
export const callTracer: Tracer = { tracer: 'callTracer' }

/** The state that a transaction used. */
export const prestateTracer: Tracer = { tracer: 'prestateTracer' }

/** The state that a transaction changed, before and after it. */
export const stateChangeTracer: Tracer = { ...prestateTracer, tracerConfig: { diffMode: true } }

/** A tracer for which the node may take this many seconds for each transaction; undefined: its default. */
export function tracerWithin(tracer: Tracer, seconds: number | undefined): Tracer {
  return seconds === undefined ? tracer : { ...tracer, timeout: `${seconds}s` }
}

/**
 * Blocks of an EVM chain with the state that their transactions changed. It is `createEvmTraces` with the prestate tracer in `diffMode`. Where
 * the diffs of a block do not say the state of an account after the block, the source requests that state.
 */
export function createEvmStateDiffs(
  connection: Connection,
  route: string,
  options: Omit<EvmTracesOptions, 'whole'>,
): RangeSource<EvmBlockDiffs> {
  const traces = createEvmTraces(connection, route, { ...options, whole: true })
  const readState = createOpenStates(connection, route, options)
  // These two would return records without their state; traces have neither.
  const { shared: _, one: __, ...own } = traces
  return {
    ...own,
    async window(from, to, signal, turn) {
      const records: EvmBlockDiffs[] = []
      for (const record of await traces.window(from, to, signal, turn))
        records.push({ ...record, state: await readState(record, signal) })
      return records
    },
  }
}

/** How the source of traces reads answers of tracers. */

/** A tracer as the node takes it: `tracer`, and settings such as `tracerConfig` and `timeout`. */
type Tracer = { readonly tracer: string } & Readonly<Record<string, unknown>>

function traceBlockCall(number: number, tracer: Tracer): RpcCall {
  return { method: 'debug_traceBlockByNumber', params: [hex(number), tracer] }
}

function listsHashes({ transactions }: Json): boolean {
  return Array.isArray(transactions) && typeof transactions[0] === 'string'
}

/** Whether neither the block nor its hash says which indices its transactions have. */
function isUnproven(block: Json): boolean {
  return listsHashes(block) && headerShape(block) === null
}

/**
 * The hashes of the transactions of a block. Throws `TransportError` if it has no list of them, or an empty list although its header proves
 * transactions: some nodes answer so for blocks that they have pruned, and trace nothing of them.
 */
function transactionHashesOf(number: number, block: Json): string[] {
  const hashes = hashesOf(block)
  const contradicted = hashes?.length === 0 ? contradictionOf(block, []) : null
  if (contradicted?.isCertain === true && contradicted.kinds.includes('transactions'))
    throw missingBlock(number, 'it lists none of its transactions')
  if (hashes?.every((each) => typeof each === 'string')) return hashes
  throw new TransportError(
    `The answer to eth_getBlockByNumber of block ${number} has no list of transactions with hashes.`,
    {
      code: 'evm.traces',
      details: { 'block number': number },
      hint: 'Check that the URL is the JSON-RPC of an EVM chain.',
    },
  )
}

/** What a node says about a transaction: its trace, or why there is none. */
type Traced = { readonly result: unknown } | { readonly error: RpcError | TransportError }

/**
 * What debug_traceBlockByNumber says about each transaction, in their order; null if the node does not say which transaction each trace belongs
 * to. Throws `TransportError` for traces of other transactions.
 */
function tracedOf(number: number, hashes: readonly string[], answer: unknown): Traced[] | null {
  if (answer === null && hashes.length > 0) throw otherTransactions(number, `none of ${hashes.length} transactions`)
  const traces: unknown = answer === null ? [] : answer
  if (!Array.isArray(traces) || !traces.every(isObject))
    throw new TransportError(`The answer to debug_traceBlockByNumber of block ${number} is not a list of traces.`, {
      code: 'evm.traces',
      details: { 'block number': number },
      hint: 'Nothing of this window was written. The node, or a gateway in front of it, does not follow the request: use another node.',
    })
  if (traces.length > hashes.length)
    throw otherTransactions(number, `${traces.length} of ${hashes.length} transactions`)
  if (traces.some((each) => (each['txHash'] ?? null) === null)) return null
  const byHash = new Map(traces.map((each) => [String(each['txHash']).toLowerCase(), each]))
  const traced = hashes.map((hash): Traced => {
    const own = byHash.get(hash.toLowerCase())
    byHash.delete(hash.toLowerCase())
    if (own === undefined)
      return { error: otherTransactions(number, `${traces.length} of ${hashes.length} transactions`) }
    return (own['error'] ?? '') === ''
      ? tracedBy(hash, own['result'])
      : { error: untraced(hash, wordsOf(own['error'])) }
  })
  for (const other of byHash.keys()) throw otherTransactions(number, `transaction ${other}`)
  return traced
}

/** Erigon writes an error object of JSON-RPC, others its message. */
function wordsOf(error: unknown): string {
  return String(isObject(error) ? error['message'] : error)
}

const noTrace = 'it returns no trace'

/** The result of a tracer. Arbitrum answers with a call of the type STOP where it traces nothing, other nodes with null. */
function tracedBy(hash: string, result: unknown): Traced {
  const isStop = isObject(result) && String(result['type']).toUpperCase() === 'STOP' && result['calls'] === undefined
  return (result ?? null) === null || isStop ? { error: untraced(hash, noTrace) } : { result }
}

/**
 * The types of transactions of chains themselves: those of Arbitrum (0x64 to 0x6a), deposits of the OP stack (0x7e), state-sync transactions of
 * Polygon (0x7f), upgrades and priority operations of the ZK stack (0xfe, 0xff).
 */
const typesOfChains = new Set([0x64, 0x65, 0x66, 0x68, 0x69, 0x6a, 0x7e, 0x7f, 0xfe, 0xff])

/**
 * Whether a chain may leave a transaction untraced, as listed in its block, with its receipt: it is one of the chain itself, which has a type of
 * its own or uses no gas, or one that this block never executed, which has no receipt there. Nodes do trace some types of chains, such as
 * deposits of the OP stack and retries of Arbitrum, so a tracer that failed says nothing about them.
 */
function mayBeUntraced(transaction: Json, receipt: unknown, error: RpcError | TransportError): boolean {
  if (receipt === null || (isObject(receipt) && countOf(receipt['gasUsed']) === 0)) return true
  return typesOfChains.has(countOf(transaction['type']) ?? 0) && !hasFailed(error)
}

/** Whether a tracer failed for a transaction: the node neither leaves it out, nor says that it does not know or trace transactions of its kind. */
function hasFailed(error: RpcError | TransportError): boolean {
  return error instanceof RpcError && error.answer !== noTrace && !wordsOfUntraced.test(error.answer)
}

const wordsOfUntraced =
  /\b(transaction|tx|type)\b[^.]*\b(not (be )?(found|known|supported|traced|traceable)|unsupported|unknown)|\b(unsupported|unknown|unexpected) (transaction|tx)\b/i

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

function hintFor(error: RpcError): string {
  if (error.kind === 'unsupported')
    return 'The node does not offer its debug API: enable it in the configuration of the chain, or use another node.'
  if (isTimedOut(error)) return longer
  return 'Nothing of this window was written. Use another node, or run again later.'
}

/** The error of a request for one transaction, which cannot be cut into smaller ones. */
function tooMuchForOne(number: number, error: unknown): unknown {
  if (error instanceof RpcError || !(error instanceof TransportError)) return error
  const { message, code, details, kind, hint } = error
  return new TransportError(`Block ${number}: ${message}`, {
    code,
    kind,
    details: { 'block number': number, ...details },
    hint: isTimedOut(error) ? longer : (hint ?? tooLarge),
    cause: error,
  })
}

/** What helps where the trace of one transaction takes too long or is too large. */
const longer =
  'The node needs longer for this transaction: raise tracer-timeout, the timeout of requests (--timeout) and the limits of the node.'
const tooLarge = 'Raise the limit of the node for the size of an answer, or use another node.'

type State = EvmBlockDiffs['state']

/** A value of the state after a block: of an account, or with `slot` of a slot. */
type Wanted = {
  readonly address: string
  readonly field: 'balance' | 'nonce' | 'code' | 'storage'
  readonly slot?: string
}

const methods = {
  balance: 'eth_getBalance',
  nonce: 'eth_getTransactionCount',
  code: 'eth_getCode',
  storage: 'eth_getStorageAt',
} as const

/**
 * Reads the state after a block of accounts that its diffs leave open. If the node refuses that, the calls of the block may say it: they state
 * balances, nonces and codes of contracts, and that a contract was deleted with its slots.
 */
function createOpenStates(connection: Connection, route: string, options: LagOptions) {
  const again = patienceOf(connection, options)
  const calls = createEvmCalls(connection, route)

  async function readValues(
    { number, block }: EvmBlockTraces,
    wanted: readonly Wanted[],
    signal: AbortSignal | undefined,
  ): Promise<unknown[]> {
    const requested = wanted.map(({ address, field, slot }) => {
      return { method: methods[field], params: [address, ...(slot === undefined ? [] : [slot]), hex(number)] }
    })
    // The header comes in the same batch, so that the values are of this block.
    const { outcomes } = await calls.ask([blockCall(hex(number), false), ...requested], { signal, together: 2 })
    const [header, ...values] = outcomes
    if (blockOf(number, header!)['hash'] !== block['hash']) throw otherBlock(number)
    return await Promise.all(values.map((outcome, at) => resultOf(number, requested[at]!, outcome)))
  }

  async function readState(record: EvmBlockTraces, wanted: readonly Wanted[], signal: AbortSignal | undefined) {
    const state: Record<string, TracedAccount> = {}
    for (const chunk of chunksOf(wanted, mostCalls - 1)) {
      const values = await askAgain(() => readValues(record, chunk, signal), again, signal)
      for (const [at, { address, field, slot }] of chunk.entries()) {
        const known = state[address] ?? {}
        const own = slot === undefined ? { [field]: values[at] } : { storage: { ...known.storage, [slot]: values[at] } }
        state[address] = { ...known, ...own }
      }
    }
    return state
  }

  /** The open state by the calls of a block; null if they do not say it, or the node does not trace them. */
  async function followCalls(
    { number, block, transactionHashes }: EvmBlockTraces,
    { diffs, open }: OpenBlock,
    signal: AbortSignal | undefined,
  ): Promise<State | null> {
    const { outcomes } = await calls.ask([traceBlockCall(number, callTracer)], { signal })
    const [outcome] = outcomes
    const traced = 'result' in outcome! ? tracedOf(number, transactionHashes, outcome.result) : null
    const roots = traced?.map((each) => ('result' in each ? each.result : null)) ?? null
    // The field came with EIP-6780.
    const keepsOlder = block['parentBeaconBlockRoot'] !== undefined
    return roots === null ? null : stateByCalls(roots as readonly TracedCall[], { diffs, open, keepsOlder })
  }

  return async (record: EvmBlockTraces, signal: AbortSignal | undefined): Promise<State> => {
    const diffs = diffsOf(record)
    const open = openStates(diffs)
    try {
      return await readState(record, open.flatMap(valuesOf), signal)
    } catch (error) {
      signal?.throwIfAborted()
      // Other failures may pass.
      const isRefused =
        error instanceof RpcError ? error.kind !== 'lagging' : error instanceof TransportError && !error.retryable
      const state = isRefused ? await followCalls(record, { diffs, open }, signal) : null
      if (state === null) throw error
      return state
    }
  }
}

/** The diffs of a block, as far as they are objects of accounts: the decoder reports others. */
function diffsOf({ number, block, traces: [diffs = []] }: EvmBlockTraces): StateDiff[] {
  const isAccount = (each: unknown) => isObject(each) && (each['storage'] === undefined || isObject(each['storage']))
  const areAccounts = (each: unknown) => isObject(each) && Object.values(each).every(isAccount)
  const isDiff = (each: unknown) =>
    each === null || (isObject(each) && areAccounts(each['pre']) && areAccounts(each['post']))
  if (number === 0 || !diffs.every(isDiff)) return []
  return stateDiffsOf(diffs, (block['transactions'] as readonly ListedTransaction[]).map(createdBy))
}

function valuesOf({ address, account, slots }: OpenState): Wanted[] {
  const fields = account ? (['balance', 'nonce', 'code'] as const) : []
  return [
    ...fields.map((field) => ({ address, field })),
    ...slots.map((slot) => ({ address, field: 'storage' as const, slot })),
  ]
}

async function resultOf(number: number, { method }: RpcCall, outcome: RpcOutcome): Promise<unknown> {
  if ('result' in outcome) return outcome.result
  throw await cellFailure(outcome.error, { method, number, firstWithState: async () => null })
}

type OpenBlock = { readonly diffs: readonly StateDiff[]; readonly open: readonly OpenState[] }

function stateByCalls(
  roots: readonly TracedCall[],
  { diffs, open, keepsOlder }: OpenBlock & { readonly keepsOlder: boolean },
): State | null {
  const state: Record<string, TracedAccount> = {}
  for (const { at, address, slots } of open) {
    const diff = diffs[at]!
    if (!isOpen(diff, address)) return null
    const account = accountByCalls(roots[at]!, { address, before: diff.pre[address]!, keepsOlder })
    // Calls do not state slots of a contract that still exists.
    if (account !== null && slots.length > 0) return null
    state[address] = account ?? {}
  }
  return state
}
