import type { Connection } from '../define/connection.ts'
import type { EvmSubject, Question, RangeSource, WindowSource } from '../define/index.ts'
import { ConfigError, RpcError, TransportError } from '../errors.ts'
import type { RpcOutcome } from '../fetch/json-rpc.ts'
import { chunksOf, groupBy } from '../lib/arrays.ts'
import type { EvmCell, EvmOutcome } from '../model.ts'
import {
  blockCall,
  createEvmCalls,
  type EvmCalls,
  evmBlockTimes,
  existingBlocks,
  finalHead,
  finalHeadOf,
  hex,
  type Json,
  mostCalls,
} from './evm-answers.ts'
import { joinWindows } from './stored-logs.ts'
import {
  adaptWindows,
  askAgain,
  askEach,
  createWindowSize,
  type LagOptions,
  maxAnswerBytes,
  patienceOf,
  patienceOfNodes,
} from './window-size.ts'

/** The refused call: its method and block, and the first block after it that has its state; null if no block is known to have it. */
type RefusedCall = {
  readonly method: string
  readonly number: number
  readonly firstWithState: () => Promise<number | null>
}

/**
 * The error of a refused call, with its block and what helps. It is a `TransportError` and no `RpcError` where the node would refuse the same
 * call about other subjects, too.
 */
export async function cellFailure(error: RpcError, call: RefusedCall): Promise<RpcError | TransportError> {
  const { method, number } = call
  const details = { method, 'block number': number, 'error code': error.rpcCode, 'error message': error.answer }
  if (error.kind === 'pruned')
    return new TransportError(`The node has no state of block ${number}: ${error.answer}`, {
      code: 'evm.no-state',
      details,
      hint: `${await beginningOf(call)} A pruning node keeps the state of the newest blocks only. An archive node has all of it (pruning-enabled: false).`,
      cause: error,
    })
  if (error.rpcCode === methodNotFound)
    return new TransportError(`The node does not have the method ${method}.`, {
      code: 'evm.no-method',
      details,
      hint: 'Enable the method in the configuration of the chain (eth-apis), or use another node.',
      cause: error,
    })
  return new RpcError(
    `Block ${number}: ${error.message}`,
    { code: error.rpcCode, answer: error.answer, data: error.data },
    { details, hint: hintFor(error), cause: error },
  )
}

async function beginningOf({ number, firstWithState }: RefusedCall): Promise<string> {
  const first = await firstWithState()
  return first === null || first <= number ? '' : `From block ${first} on, this node has the state: begin there.`
}

const methodNotFound = -32601

function hintFor(error: RpcError): string {
  if (/timed? ?out|deadline exceeded|execution aborted/i.test(error.answer))
    return 'The node takes too long for this call: raise its limit (api-max-duration of the C-Chain, --rpc.evmtimeout of geth), or use another node.'
  if (/too (large|big)|size|gas.*(cap|limit|allowance)|(cap|limit|allowance).*gas/i.test(error.answer))
    return 'A limit of the node is too low for this call: raise it, use another node, or request less at once.'
  return 'What was read before is kept. Use another node, or run again later.'
}

type StateRange = {
  /** A block without its state. */
  readonly without: number
  readonly head: number
}

/**
 * A block after `without` with its state, so that the block before it has none; null if the head has none either. Nodes keep the state of the
 * newest blocks, so a binary search finds the first of these: it sends one request for each binary digit of the length of the range.
 */
export async function firstWithState(
  calls: EvmCalls,
  { without, head }: StateRange,
  signal?: AbortSignal,
): Promise<number | null> {
  const hasState = async (number: number): Promise<boolean> => {
    const call = { method: 'eth_getBalance', params: [anyAddress, hex(number)] }
    const { outcomes } = await calls.ask([call], { signal })
    return 'result' in outcomes[0]!
  }
  if (head <= without || !(await hasState(head))) return null
  let [last, first] = [without, head]
  while (first - last > 1) {
    const middle = Math.floor((last + first) / 2)
    if (await hasState(middle)) first = middle
    else last = middle
  }
  return first
}

const anyAddress = `0x${'0'.repeat(40)}`

export type EvmCellsOptions = LagOptions & {
  /** See `EvmBlocksOptions`. */
  readonly finality?: number
  readonly step?: number
}

/** A call about a subject at a block. */
type SubjectCall = {
  readonly subject: EvmSubject
  readonly method: string
  readonly params: readonly unknown[]
}

/** Calls about one block, which one batch requests together with its header. */
type BlockCalls = { readonly number: number; readonly calls: readonly SubjectCall[] }

type Asked = { readonly number: number; readonly call: SubjectCall }

type Answered = Asked & { readonly block: Json; readonly outcome: RpcOutcome }

/** Batches that a window requests at once: one block may have many subjects. */
const batchesAtOnce = 4

/**
 * What subjects are at blocks of an EVM chain, read by the JSON-RPC at `route`. Coordinates are block numbers; each block that is a multiple
 * of `step` has one record for each subject. The header of a block is requested in the same batch as the state, so that both are of one
 * block. (A server without batches answers them one after another.) A refusal that is no answer is an error that names the block.
 */
export function createEvmCells(
  connection: Connection,
  route: string,
  subjects: readonly EvmSubject[],
  options: EvmCellsOptions = {},
): RangeSource<EvmCell> {
  const { finality, step = 1 } = options
  const again = patienceOf(connection, options)
  const calls = callsAt(connection, route)
  const perBlock = 1 + subjects.reduce((sum, subject) => sum + subject.calls('0x0').length, 0)
  const size = createWindowSize(1, Math.max(1, Math.floor(mostCalls / perBlock)))
  /** How many calls a batch may have, besides the headers. */
  const limit = adaptWindows({
    first: mostCalls,
    largest: mostCalls,
    good: Number.POSITIVE_INFINITY,
    growth: 2,
    patience: patienceOfNodes,
  })
  const byName = new Map(subjects.map((subject) => [subject.name, subject]))

  async function read(numbers: readonly number[], signal: AbortSignal | undefined): Promise<EvmCell[]> {
    const cells = await ask(
      numbers.flatMap((number) => blockCalls(number, firstCalls(subjects, number))),
      signal,
    )
    const more = cells.flatMap((cell) => blockCalls(cell.number, nextCalls(byName.get(cell.subject)!, cell)))
    return more.length === 0 ? cells : withMore(cells, await ask(more, signal))
  }

  /** The cells of all calls, in the order of blocks. */
  async function ask(requested: readonly BlockCalls[], signal: AbortSignal | undefined): Promise<EvmCell[]> {
    const answered: Answered[] = []
    for (const some of chunksOf(batchesOf(requested), batchesAtOnce)) {
      const answers = await Promise.all(some.map((batch) => askBatch(batch, signal)))
      answered.push(...answers.flat())
    }
    const cells: EvmCell[] = []
    for (const own of groupBy(answered, ({ number }) => number).values())
      cells.push(...(await cellsOf(own, { calls, finality, signal })))
    return cells
  }

  /** Requests the calls of a batch, in smaller batches where the node refuses it. Each batch has the headers of its blocks. */
  async function askBatch(batch: readonly BlockCalls[], signal: AbortSignal | undefined): Promise<Answered[]> {
    let length = 0
    const answers = await askEach<Asked, Asked & { readonly block: Json | null; readonly outcome: RpcOutcome }>({
      units: batch.flatMap((each) => each.calls.map((call) => ({ number: each.number, call }))),
      size: limit,
      refusalIn: ({ call: { subject }, block, outcome }) =>
        block === null || 'result' in outcome || subject.isAnswer?.(refusalOf(outcome.error)) === true
          ? null
          : outcome.error,
      send: async (units, tries) => {
        const asked = [...groupBy(units, ({ number }) => number)]
        const requested = asked.map(([number, own]) => [
          blockCall(hex(number), false),
          ...own.map(({ call }) => rpcCall(call)),
        ])
        const cut = units.length === 1
        const options = { signal, tries, together: 2, cut, ...(cut ? {} : { maxBytes: maxAnswerBytes }) }
        const { outcomes, size: sent } = await calls.ask(requested.flat(), options)
        limit.answered(units.length, 0)
        length += sent
        let taken = 0
        const answers = asked.map(([number, own], at) => {
          const [outcome, ...others] = outcomes.slice(taken, taken + requested[at]!.length)
          taken += requested[at]!.length
          return { number, outcome: outcome!, own, others }
        })
        const blocks = await existingBlocks(calls, answers, signal)
        return answers.flatMap(({ number, own, others }) => {
          const block = blocks.get(number) ?? null
          return own.map(({ call }, at) => ({ number, call, block, outcome: others[at]! }))
        })
      },
    })
    size.answered(batch.length, length)
    return answers.flatMap(({ block, ...answer }) => (block === null ? [] : [{ ...answer, block }]))
  }

  return {
    ...finalHeadOf(calls, route, finality),
    times: evmBlockTimes(calls),
    windowSize: () => size.current() * step,
    window(from, to, signal) {
      const numbers: number[] = []
      for (let number = Math.ceil(from / step) * step; number < to; number += step) numbers.push(number)
      return askAgain(() => read(numbers, signal), again, signal)
    },
    at: ({ number }) => number,
  }
}

/** The answer to a question about one subject at one block. */
export async function readCell<T>(
  connection: Connection,
  { path, subject, block }: Extract<Question, { readonly subject: object }>,
  { signal, parse }: { readonly signal?: AbortSignal; readonly parse: (cell: EvmCell) => T },
): Promise<T> {
  const [cell] = await createEvmCells(connection, path, [subject]).window(block, block + 1, signal)
  if (cell !== undefined) return parse(cell)
  throw new ConfigError(`The chain has no block ${block}: the block after it names an earlier one as its parent.`, {
    code: 'config.no-block',
    details: { 'block number': block },
    hint: 'Name another block. Chains such as Filecoin leave out some numbers (null rounds).',
  })
}

/** Calls of an endpoint, which remember whether it takes batches. */
const known = new WeakMap<Connection, Map<string, EvmCalls>>()

function callsAt(connection: Connection, route: string): EvmCalls {
  const routes = known.get(connection) ?? new Map<string, EvmCalls>()
  known.set(connection, routes)
  const calls = routes.get(route) ?? createEvmCalls(connection, route)
  routes.set(route, calls)
  return calls
}

function firstCalls(subjects: readonly EvmSubject[], number: number): SubjectCall[] {
  return subjects.flatMap((subject) => subject.calls(hex(number)).map((call) => ({ ...call, subject })))
}

function nextCalls(subject: EvmSubject, { number, outcomes }: EvmCell): SubjectCall[] {
  return (subject.next?.(outcomes, hex(number)) ?? []).map((call) => ({ ...call, subject }))
}

function blockCalls(number: number, all: readonly SubjectCall[]): BlockCalls[] {
  return chunksOf(all, mostCalls - 1).map((calls) => ({ number, calls }))
}

/** The cells with the outcomes of further calls, which must be of the same blocks. */
function withMore(cells: readonly EvmCell[], more: readonly EvmCell[]): EvmCell[] {
  const keyOf = ({ number, subject }: EvmCell): string => `${number} ${subject}`
  const added = new Map(more.map((cell) => [keyOf(cell), cell]))
  return cells.map((cell) => {
    const further = added.get(keyOf(cell))
    if (further === undefined) return cell
    if (further.block['hash'] !== cell.block['hash']) throw otherBlock(cell.number, cell.block, further.block)
    return { ...cell, outcomes: [...cell.outcomes, ...further.outcomes] }
  })
}

/** Puts calls about several blocks into one batch where they fit. */
function batchesOf(requested: readonly BlockCalls[]): BlockCalls[][] {
  const batches: BlockCalls[][] = []
  let left = 0
  for (const each of requested) {
    const length = each.calls.length + 1
    if (length > left) {
      batches.push([])
      left = mostCalls
    }
    batches.at(-1)!.push(each)
    left -= length
  }
  return batches
}

function rpcCall({ method, params }: SubjectCall) {
  return { method, params }
}

type Judging = {
  readonly calls: EvmCalls
  readonly finality: number | undefined
  readonly signal: AbortSignal | undefined
}

/** The cells of one block, from all answers about it. */
async function cellsOf(answered: readonly Answered[], judging: Judging): Promise<EvmCell[]> {
  const [first, ...others] = answered
  if (first === undefined) return []
  const { number, block } = first
  const other = others.find((each) => each.block['hash'] !== block['hash'])
  if (other !== undefined) throw otherBlock(number, block, other.block)
  const outcomes = new Map<EvmSubject, EvmOutcome[]>()
  for (const { call, outcome: answer } of answered) {
    const outcome = await outcomeOf(answer, call, number, judging)
    outcomes.set(call.subject, [...(outcomes.get(call.subject) ?? []), outcome])
  }
  return [...outcomes].map(([subject, own]) => ({ number, subject: subject.name, block, outcomes: own }))
}

function refusalOf({ rpcCode: code, answer: message, data }: RpcError) {
  return { code, message, data }
}

/** The outcome of a call. Throws if the node refused it and the refusal is no answer. */
async function outcomeOf(
  outcome: RpcOutcome,
  { subject, method }: SubjectCall,
  number: number,
  { calls, finality, signal }: Judging,
): Promise<EvmOutcome> {
  if ('result' in outcome) return outcome
  const refusal = refusalOf(outcome.error)
  if (subject.isAnswer?.(refusal) === true) return { refusal }
  throw await cellFailure(outcome.error, {
    method,
    number,
    firstWithState: () => firstAfter(calls, { number, finality, signal }),
  })
}

/** The first block after `number` with its state; null if no block has it, or the node does not say it. One search serves all failures. */
function firstAfter(
  calls: EvmCalls,
  { number, finality, signal }: { number: number; finality: number | undefined; signal: AbortSignal | undefined },
): Promise<number | null> {
  const search = async (): Promise<number | null> => {
    const { number: head } = await finalHead(calls, finality, signal)
    return head === null ? null : await firstWithState(calls, { without: number, head }, signal)
  }
  const found = searches.get(calls) ?? search().catch(() => null)
  searches.set(calls, found)
  return found
}

const searches = new WeakMap<EvmCalls, Promise<number | null>>()

function otherBlock(number: number, first: Json, second: Json): TransportError {
  return new TransportError(`The node returns two different blocks with number ${number}.`, {
    code: 'evm.other-block',
    details: { 'block number': number, 'one hash': String(first['hash']), 'other hash': String(second['hash']) },
    hint: 'Nothing of this window was written. Behind a load balancer nodes may disagree: use the URL of one node, or run again later.',
  })
}

/** Sources of single subjects. Where several of them are missing the same blocks, they share requests. */
export function createSharedCells(
  connection: Connection,
  route: string,
  options: EvmCellsOptions,
): (subject: EvmSubject) => RangeSource<EvmCell> {
  // A run that follows makes new sources in each round.
  const subjectOf = new WeakMap<WindowSource<EvmCell>, EvmSubject>()
  const shared: NonNullable<WindowSource<EvmCell>['shared']> = {
    together(sources) {
      if (sources.length === 1) return sources
      const subjects = sources.map((source) => subjectOf.get(source)!)
      const names = subjects.map(({ name }) => name)
      const joined = createEvmCells(connection, route, subjects, options)
      return joinWindows<EvmCell>(joined, names, (cells) => groupBy(cells, ({ subject }) => subject))
    },
  }
  return (subject) => {
    const source = { ...createEvmCells(connection, route, [subject], options), shared }
    subjectOf.set(source, subject)
    return source
  }
}
