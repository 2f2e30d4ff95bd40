import { callEnd, tokenInputs, tokenRow } from '../../src/decode/events/calls.ts'
import { balanceRow, type CellContext, codeRow, nonceRow, storageRow } from '../../src/decode/evm/state.ts'
import {
  type Connection,
  type DeclaredStream,
  type EvmSubject,
  type Facts,
  type KeyedQuestion,
  nodeStream,
  type Parameters,
  type Pipeline,
  p,
  pipeline,
  type Range,
  serviceStream,
  type Table,
  type ValuesOf,
} from '../../src/define/index.ts'
import { ConfigError } from '../../src/errors.ts'
import { countText } from '../../src/lib/text.ts'
import type { EvmCell } from '../../src/model.ts'
import {
  askEvmChain,
  blockRange,
  type EvmChainFacts,
  evmChainParameter,
  finalityParameter,
  headsParameter,
  once,
} from './evm-chain.ts'
import { parameterError, rangeParameters, requestedBounds } from './parameters.ts'

/** What a pipeline reads at each block, such as the balance of an account. */
export type StateSubject = Omit<EvmSubject, 'name'> & {
  /** Values of the key columns that identify it; also the parameters of its stream. */
  readonly key: Readonly<Record<string, string>>
  /** Pure: the row at a block. Throws `DecodeError`. */
  readonly read: (cell: EvmCell, context: CellContext) => object
}

type StatePipeline<P extends Parameters> = {
  readonly name: string
  readonly comment: string
  /** What selects subjects. */
  readonly parameters: P
  readonly table: Table
  /** The subjects of a job, without repeats. Throws `ConfigError`. */
  readonly subjects: (values: ValuesOf<P>) => readonly StateSubject[] | Promise<readonly StateSubject[]>
  /** The subjects that a job without blocks and range reads at the last final block. Default: such a job reads all blocks of the chain. */
  readonly newSubjects?: (subjects: readonly StateSubject[], values: ValuesOf<P>) => readonly StateSubject[]
}

const stateParameters = {
  blocks: p.list(
    'Numbers of the blocks to read; inline, from a file or a query (default: the range of from, to and step).',
    { pattern: { source: '^\\d{1,15}$', says: 'must be a block number in decimal digits' } },
  ),
  ...rangeParameters('block number', 'the last final block'),
  step: p.whole('Only blocks of the range with numbers that are multiples of it (default: all).', { least: 1 }),
  finality: finalityParameter,
  chain: evmChainParameter,
  'ws-url': headsParameter,
}
type StateValues = ValuesOf<typeof stateParameters>

/** Requests of a job with a list of blocks. */
const mostCells = 100_000

/**
 * A pipeline that reads something at blocks of an EVM chain: at listed blocks, one request for each subject and block that has no row yet,
 * or in a range of blocks, which has a stream for each subject. Both compare their rows with the lake, because a table takes the rows of both.
 */
export function statePipeline<P extends Parameters>(declaration: StatePipeline<P>): Pipeline {
  const { name, comment, parameters, table, subjects, newSubjects } = declaration
  return pipeline({
    name,
    comment,
    parameters: { ...parameters, ...stateParameters } as Parameters,
    reads: 'node',
    tables: { cells: table },
    walks: ['keyed', 'range'],
    async streams(given, facts) {
      const values = given as StateValues
      checkBlocks(values)
      const all = await subjects(given as ValuesOf<P>)
      const { blocks, chain, finality, 'ws-url': wsUrl } = values
      const isNew = newSubjects !== undefined && blocks === undefined && !hasRange(values)
      if (blocks === undefined && !isNew)
        return rangeStreams(declaration, all, values, await askEvmChain(chain, facts, { wsUrl, finality }))
      const own = isNew ? newSubjects(all, given as ValuesOf<P>) : all
      const listed = [...new Set(blocks?.map(Number))].sort((a, b) => a - b)
      checkCells(own.length, isNew ? 1 : listed.length)
      const answers = await askEvmChain(chain, facts, { wsUrl, finality })
      const { number: last, remark } = await askFinalHead(answers, finality, facts)
      checkFinal(listed, last, remark)
      return keyedStreams(declaration, own, { blocks: isNew ? [last] : listed, notice: remark }, answers)
    },
  })
}

/** The last final block of a chain. Throws `ConfigError` if there is none. */
async function askFinalHead(
  { endpoint, route }: EvmChainFacts,
  finality: number | undefined,
  facts: Facts,
): Promise<{ readonly number: number; readonly remark: string | null }> {
  const { number, remark } = await facts.ask(endpoint, async (connection, signal) => {
    const { readFinalHead } = await import('../../src/sources/evm-answers.ts')
    return readFinalHead(connection, route, finality, signal)
  })
  if (number !== null) return { number, remark }
  throw new ConfigError('The chain has no final block yet.', {
    code: 'config.no-block',
    hint: 'Wait until the chain has more blocks, or lower finality.',
  })
}

function keyedStreams(
  { name }: Pick<StatePipeline<any>, 'name'>,
  subjects: readonly StateSubject[],
  { blocks, notice }: { readonly blocks: readonly number[]; readonly notice: string | null },
  answers: EvmChainFacts,
): DeclaredStream[] {
  const { endpoint, route, network, chainId } = answers
  const context = { network, chainId }
  const keys = blocks.flatMap((block) =>
    subjects.map(
      (subject): KeyedQuestion => ({
        key: { chain_id: chainId, ...subject.key, block_number: block },
        request: { host: 'node', endpoint, path: route, subject: named(subject), block },
        decode: (cell) => ({ rows: { cells: [subject.read(cell as EvmCell, context)] }, items: [], next: null }),
      }),
    ),
  )
  return [{ stream: nodeStream(network, name, {}, chainId), walk: { kind: 'keyed', keys, notice }, chain: answers }]
}

function rangeStreams(
  { name, table }: Pick<StatePipeline<any>, 'name' | 'table'>,
  subjects: readonly StateSubject[],
  { step = 1, finality, ...part }: StateValues,
  answers: EvmChainFacts,
): DeclaredStream[] {
  const { route, network, chainId } = answers
  const bounds = requestedBounds(part)
  /** All streams share requests. */
  const cells = once(async (connection: Connection) => {
    const { createSharedCells } = await import('../../src/sources/evm-state.ts')
    return createSharedCells(connection, route, { step, finality })
  })
  const tables = { cells: table }
  return subjects.map((subject) => {
    const walk: Range<EvmCell> = {
      ...blockRange(answers),
      what: `the state of chain ${chainId}`,
      source: async (connection) => (await cells(connection))(named(subject)),
      ...bounds,
      unit: null,
      rows: 'compared',
      order: 'chain',
      outputs: [{ tables, read: (cell, context) => ({ cells: [subject.read(cell, context)] }) }],
    }
    const stream = serviceStream(network, name, { ...subject.key, step: step === 1 ? undefined : step }, chainId)
    return { stream, walk, chain: answers }
  })
}

function named({ key, read: _, ...subject }: StateSubject): EvmSubject {
  return { ...subject, name: Object.values(key).join(' ') }
}

function hasRange({ from, to, range, step }: StateValues): boolean {
  return [from, to, range, step].some((value) => value !== undefined)
}

function checkBlocks(values: StateValues): void {
  if (values.blocks !== undefined && hasRange(values))
    throw parameterError(
      'The job has a list of blocks and a range.',
      'Give either blocks, or from, to (or range) and step. Two jobs may read both.',
    )
  requestedBounds(values)
}

function checkCells(subjects: number, blocks: number): void {
  const cells = subjects * blocks
  if (cells <= mostCells) return
  throw parameterError(
    `The job lists ${countText(blocks)} blocks for ${countText(subjects)} subjects: that is ${countText(cells)} requests, more than ${countText(mostCells)}.`,
    'Read a range with from, to and step, which shares requests, or divide the list among several jobs.',
  )
}

function checkFinal(blocks: readonly number[], last: number, remark: string | null): void {
  const beyond = blocks.find((block) => block > last)
  if (beyond === undefined) return
  throw new ConfigError(`Block ${beyond} is not final yet: the last final block is ${last}.`, {
    code: 'config.no-block',
    details: { 'block number': beyond },
    hint: remark ?? 'Name final blocks: later ones may still change.',
  })
}

/** What the pipelines of state read at each block, and `verify --node` reads again. */

/** The requests of a call. Only the code of the account says whether an empty output comes from a contract. */
export function callSubject(to: string, input: Buffer): Omit<EvmSubject, 'name'> {
  const data = `0x${input.toString('hex')}`
  return {
    calls: (block) => [{ method: 'eth_call', params: [{ to, data }, block] }],
    next: ([outcome], block) =>
      outcome !== undefined && 'result' in outcome && outcome.result === '0x'
        ? [{ method: 'eth_getCode', params: [to, block] }]
        : [],
    isAnswer: (refusal) => callEnd(refusal) !== null,
  }
}

function accountSubject(method: string, row: (cell: EvmCell, context: CellContext, address: string) => object) {
  return (address: string): StateSubject => ({
    key: { address },
    calls: (block) => [{ method, params: [address, block] }],
    read: (cell, context) => row(cell, context, address),
  })
}

export const balanceSubject = accountSubject('eth_getBalance', balanceRow)
export const codeSubject = accountSubject('eth_getCode', codeRow)
export const nonceSubject = accountSubject('eth_getTransactionCount', nonceRow)

export function storageSubject(place: { readonly address: string; readonly slot: string }): StateSubject {
  return {
    key: place,
    calls: (block) => [{ method: 'eth_getStorageAt', params: [place.address, place.slot, block] }],
    read: (cell, context) => storageRow(cell, context, place),
  }
}

export function tokenSubject(token: string): StateSubject {
  return {
    key: { token_address: token },
    calls: (block) => tokenInputs.map((data) => ({ method: 'eth_call', params: [{ to: token, data }, block] })),
    isAnswer: (refusal) => callEnd(refusal) !== null,
    read: (cell, context) => tokenRow(cell, context, token),
  }
}
