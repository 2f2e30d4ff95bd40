import type { Connection } from '../define/connection.ts'
import type { EvmSubject, Question, RangeSource } from '../define/index.ts'
import { ConfigError, RpcError, TransportError } from '../errors.ts'
import type { RpcCall, RpcOutcome } from '../fetch/json-rpc.ts'
import { chunksOf, getOrCreate, groupBy } from '../lib/arrays.ts'
import type { EvmCell, EvmOutcome } from '../model.ts'
import {
  askGroups,
  blockCall,
  createEvmCalls,
  type EvmCalls,
  type EvmRangeOptions,
  evmBlockTimes,
  existingBlocks,
  finalHead,
  finalHeadOf,
  hex,
  type Json,
  mostCalls,
  multiplesOf,
  otherBlock,
} from './evm-answers.ts'
import { joinWindows, sharing } from './stored-logs.ts'
import {
  adaptWindows,
  askAgain,
  askEach,
  createWindowSize,
  maxAnswerBytes,
  methodNotFound,
  patienceOf,
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
  if (error.kind === 'pruned') {
    const first = await call.firstWithState()
    const beginning =
      first === null || first <= number ? '' : `From block ${first} on, this node has the state: begin there.`
    return new TransportError(`The node has no state of block ${number}: ${error.answer}`, {
      code: 'evm.no-state',
      details,
      hint: `${beginning} A pruning node keeps the state of the newest blocks only. An archive node has all of it (pruning-enabled: false).`,
      cause: error,
    })
  }
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

function hintFor(error: RpcError): string {
  if (/timed? ?out|deadline exceeded|execution aborted/i.test(error.answer))
    return 'The node takes too long for this call: raise its limit (api-max-duration of the C-Chain, --rpc.evmtimeout of geth), or use another node.'
  if (/too (large|big)|size|gas.*(cap|limit|allowance)|(cap|limit|allowance).*gas/i.test(error.answer))
    return 'A limit of the node is too low for this call: raise it, use another node, or request less at once.'
  return 'What was read before is kept. Use another node, or run again later.'
}

/**
 * A block after `without`, which has no state, with its state, so that the block before it has none; null if the head has none either. Nodes
 * keep the state of the newest blocks, so a binary search finds the first of these: it sends one request for each binary digit of the length
 * of the range.
 */
export async function firstWithState(
  calls: EvmCalls,
  { without, head }: { readonly without: number; readonly head: number },
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

type SubjectCall = RpcCall & { readonly subject: EvmSubject; readonly number: number }

type Answered = SubjectCall & { readonly block: Json; readonly outcome: RpcOutcome }

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
  options: EvmRangeOptions = {},
): RangeSource<EvmCell> {
  const { finality, step = 1 } = options
  const again = patienceOf(connection, options)
  const calls = callsAt(connection, route)
  const perBlock = 1 + subjects.reduce((sum, subject) => sum + subject.calls('0x0').length, 0)
  const size = createWindowSize(1, Math.max(1, Math.floor(mostCalls / perBlock)))
  /** How many calls a batch may have, besides the headers. */
  const limit = adaptWindows({ first: mostCalls })
  const byName = new Map(subjects.map((subject) => [subject.name, subject]))

  async function read(numbers: readonly number[], signal: AbortSignal | undefined): Promise<EvmCell[]> {
    const first = numbers.flatMap((number) =>
      subjects.flatMap((subject) => subject.calls(hex(number)).map((call) => ({ ...call, subject, number }))),
    )
    const cells = await ask(first, signal)
    const more = cells.flatMap(({ subject: name, number, outcomes }) => {
      const subject = byName.get(name)!
      return (subject.next?.(outcomes, hex(number)) ?? []).map((call) => ({ ...call, subject, number }))
    })
    return more.length === 0 ? cells : withMore(cells, await ask(more, signal))
  }

  /** The cells of all calls, in the order of blocks. */
  async function ask(requested: readonly SubjectCall[], signal: AbortSignal | undefined): Promise<EvmCell[]> {
    const answered: Answered[] = []
    for (const some of chunksOf(batchesOf(requested), batchesAtOnce)) {
      const answers = await Promise.all(some.map((batch) => askBatch(batch, signal)))
      answered.push(...answers.flat())
    }
    const cells: EvmCell[] = []
    for (const [number, own] of groupBy(answered, numberOf)) cells.push(...(await cellsOf(number, own, signal)))
    return cells
  }

  /** Requests the calls of a batch, in smaller batches where the node refuses it. Each batch has the headers of its blocks. */
  async function askBatch(batch: readonly SubjectCall[], signal: AbortSignal | undefined): Promise<Answered[]> {
    let length = 0
    const answers = await askEach<SubjectCall, Omit<Answered, 'block'> & { readonly block: Json | null }>({
      units: batch,
      size: limit,
      refusalIn: ({ subject, block, outcome }) =>
        block === null || 'result' in outcome || subject.isAnswer?.(refusalOf(outcome.error)) === true
          ? null
          : outcome.error,
      send: async (units, tries) => {
        const asked = [...groupBy(units, numberOf)]
        const requested = asked.map(([number, own]) => [blockCall(hex(number), false), ...own])
        const cut = units.length === 1
        const options = { signal, tries, together: 2, cut, ...(cut ? {} : { maxBytes: maxAnswerBytes }) }
        const { groups, size: sent } = await askGroups(calls, requested, options)
        limit.answered(units.length, 0)
        length += sent
        const headers = asked.map(([number], at) => ({ number, outcome: groups[at]![0]! }))
        const blocks = await existingBlocks(calls, headers, signal)
        return asked.flatMap(([number, own], group) => {
          const block = blocks.get(number) ?? null
          return own.map((call, at) => ({ ...call, block, outcome: groups[group]![at + 1]! }))
        })
      },
    })
    size.answered(new Set(batch.map(numberOf)).size, length)
    return answers.flatMap(({ block, ...answer }) => (block === null ? [] : [{ ...answer, block }]))
  }

  /** The cells of one block, from all answers about it. */
  async function cellsOf(number: number, answered: readonly Answered[], signal: AbortSignal | undefined) {
    const { block } = answered[0]!
    const other = answered.find((each) => each.block['hash'] !== block['hash'])
    if (other !== undefined) throw otherBlock(number, [block, other.block])
    const outcomes = new Map<EvmSubject, EvmOutcome[]>()
    for (const call of answered)
      outcomes.set(call.subject, [...(outcomes.get(call.subject) ?? []), await outcomeOf(call, signal)])
    return [...outcomes].map(([subject, own]) => ({ number, subject: subject.name, block, outcomes: own }))
  }

  /** The outcome of a call. Throws if the node refused it and the refusal is no answer. */
  async function outcomeOf(
    { outcome, subject, method, number }: Answered,
    signal: AbortSignal | undefined,
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

  return {
    ...finalHeadOf(calls, route, finality),
    times: evmBlockTimes(calls),
    windowSize: () => size.current() * step,
    window(from, to, signal) {
      const numbers = multiplesOf(step, from, to)
      return askAgain(() => read(numbers, signal), again, signal)
    },
    at: numberOf,
  }
}

function numberOf({ number }: { readonly number: number }): number {
  return number
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
  const routes = getOrCreate(known, connection, () => new Map())
  return getOrCreate(routes, route, () => createEvmCalls(connection, route))
}

/** The cells with the outcomes of further calls, which must be of the same blocks. */
function withMore(cells: readonly EvmCell[], more: readonly EvmCell[]): EvmCell[] {
  const keyOf = ({ number, subject }: EvmCell): string => `${number} ${subject}`
  const added = new Map(more.map((cell) => [keyOf(cell), cell]))
  return cells.map((cell) => {
    const further = added.get(keyOf(cell))
    if (further === undefined) return cell
    if (further.block['hash'] !== cell.block['hash']) throw otherBlock(cell.number, [cell.block, further.block])
    return { ...cell, outcomes: [...cell.outcomes, ...further.outcomes] }
  })
}

/** The calls about a block stay in one batch where it may have as many, with the header. Those about several blocks share one where they fit. */
function batchesOf(requested: readonly SubjectCall[]): SubjectCall[][] {
  const batches: SubjectCall[][] = []
  let left = 0
  for (const own of groupBy(requested, numberOf).values())
    for (const some of chunksOf(own, mostCalls - 1)) {
      if (some.length + 1 > left) {
        batches.push([])
        left = mostCalls
      }
      batches.at(-1)!.push(...some)
      left -= some.length + 1
    }
  return batches
}

function refusalOf({ rpcCode: code, answer: message, data }: RpcError) {
  return { code, message, data }
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
  return getOrCreate(searches, calls, () => search().catch(() => null))
}

const searches = new WeakMap<EvmCalls, Promise<number | null>>()

/** Sources of single subjects. Where several of them are missing the same blocks, they share requests. */
export function createSharedCells(
  connection: Connection,
  route: string,
  options: EvmRangeOptions,
): (subject: EvmSubject) => RangeSource<EvmCell> {
  const source = (subjects: readonly EvmSubject[]) => createEvmCells(connection, route, subjects, options)
  return sharing<EvmCell, EvmSubject, RangeSource<EvmCell>>(source, (subjects) => {
    const names = subjects.map(({ name }) => name)
    return joinWindows<EvmCell>(source(subjects), names, (cells) => groupBy(cells, ({ subject }) => subject))
  })
}
