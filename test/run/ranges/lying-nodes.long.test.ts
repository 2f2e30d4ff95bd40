import { afterAll, expect, test, vi } from 'vitest'
import { startDevnet } from '../../../devnet/serve.ts'
import { evmBalancesPipeline } from '../../../pipelines/evm-balances.ts'
import { evmBlocksPipeline } from '../../../pipelines/evm-blocks.ts'
import { evmCallsPipeline } from '../../../pipelines/evm-calls.ts'
import { evmCodesPipeline } from '../../../pipelines/evm-codes.ts'
import { evmEventsPipeline } from '../../../pipelines/evm-events.ts'
import { evmLogsPipeline } from '../../../pipelines/evm-logs.ts'
import { evmNoncesPipeline } from '../../../pipelines/evm-nonces.ts'
import { evmStoragePipeline } from '../../../pipelines/evm-storage.ts'
import { evmTracesPipeline } from '../../../pipelines/evm-traces.ts'
import { pBlocksPipeline } from '../../../pipelines/p-blocks.ts'
import type { Pipeline } from '../../../src/define/index.ts'
import { createTransport } from '../../../src/fetch/transport.ts'
import { identifyNetwork } from '../../../src/sources/node.ts'
import { recordedAnswers } from '../../decode/evm/rpc-facts.ts'
import { startServer } from '../../fetch/local-server.ts'
import { recordingFolder } from '../../recorded.ts'
import { type EvmNodeOptions, type NodeBlock, startEvmNode } from '../../sources/evm-node.ts'
import { otherChain } from '../../sources/other-chain.ts'
import { createTally, type UnnoticedLies } from '../../unnoticed-lies.ts'
import { type MemoryRange, newMemoryRange, rangesOf, walkRanges } from './memory-range.ts'

/**
 * A node lies about each field of an answer that decides what counts as read: once or always, in the first run, inside a later one, and where
 * that one begins. Then the lake has exactly the true rows; or the run is refused, has stored nothing that is false, and the next honest run
 * completes the lake. `unnoticed` lists the lies that no reader can tell from the truth, or only `verify` can.
 */

vi.mock('../../../src/lib/wait.ts', async (original) => ({
  ...(await original<object>()),
  pause: () => new Promise((resolve) => setTimeout(resolve, 1)),
}))

type Call = { readonly id: number; readonly method: string; readonly params: any }
type Said = { id: unknown; result?: any; error?: unknown }
/** What a lie knows: the call, the block that it is about, and the honest result of another call. */
type Told = { readonly params: any; readonly block: number; readonly ask: (params: unknown) => Promise<any> }
type Lie = {
  /** The method, `state` for those of a state at a block, or `batch` for all answers of a request. */
  readonly of: string
  /** `block`: answers about one block. */
  readonly where: 'block' | 'head'
  readonly tell: (result: any, told: Told) => unknown
}

const [header, receipts, logs, traces] = [
  'eth_getBlockByNumber',
  'eth_getBlockReceipts',
  'eth_getLogs',
  'debug_traceBlockByNumber',
]
const [range, newest, height, byHeight] = [
  'index.getContainerRange',
  'index.getLastAccepted',
  'platform.getHeight',
  'platform.getBlockByHeight',
]
const [transfer, approval] = [
  'Transfer(address indexed from, address indexed to',
  'Approval(address indexed owner, address indexed spender',
].map((text) => `event ${text}, uint256 value)`)
/** What a node says of the state at a block: of each block something else. */
const stateOf: Readonly<Record<string, (block: number) => string>> = {
  eth_getBalance: (block) => hexOf(block + 1000),
  eth_getTransactionCount: (block) => hexOf(block + 1),
  eth_getCode: (block) => `0x60${wordOf(block)}`,
  eth_getStorageAt: (block) => `0x${wordOf(block)}`,
  eth_call: (block) => `0x${wordOf(block + 7)}`,
}
const wordOf = (number: number) => number.toString(16).padStart(64, '0')
const refused = (code: number, message: string) => ({ refused: { code, message } })
const isRefusal = (said: any): said is ReturnType<typeof refused> => said?.refused !== undefined
const hexOf = (number: number) => `0x${number.toString(16)}`
const otherHash = hexOf(0).padEnd(66, 'ab')
/** A result that is changed in place, or replaced by what `change` returns. */
const lie = (of: string, where: Lie['where'], change: (result: any, told: Told) => unknown): Lie => ({
  of,
  where,
  async tell(result, told) {
    const copy = structuredClone(result)
    return (await change(copy, told)) ?? copy
  },
})
const other = (of: string, value: unknown, where: Lie['where'] = 'block'): Lie => ({ of, where, tell: () => value })
const each = (change: (item: any, at: number) => unknown) => (list: any[]) => {
  for (const [at, item] of list.entries()) change(item, at)
}
const own = (list: any[], { block }: Told) => list.filter(({ blockNumber }) => Number(blockNumber) === block)
const positionOf = ({ params, block }: Told) => block - 1 - params.startIndex
const numbered = (containers: any[], { params }: Told) => ({
  containers: containers.map((container, at) => ({ ...container, index: String(params.startIndex + at) })),
})
/** A change of the container of the block. */
const container = (change: (container: any, all: any[]) => unknown): Lie =>
  lie(range, 'block', ({ containers }, told) => void change(containers[positionOf(told)], containers))
const containers = (change: (all: any[], told: Told) => unknown): Lie =>
  lie(range, 'block', ({ containers }, told) => change(containers, told))

const lies: Readonly<Record<string, Lie>> = {
  'no block': other(header, null),
  'a block that is a text': other(header, 'none'),
  'a block without a number': lie(header, 'block', (block) => void delete block.number),
  'the block before': lie(header, 'block', ({ number }, { ask }) => ask([hexOf(Number(number) - 1), true])),
  'the block before, with the number of the block': lie(header, 'block', async ({ number }, { ask }) => ({
    ...(await ask([hexOf(Number(number) - 1), true])),
    number,
  })),
  'a block of another fork': lie(header, 'block', (block) => void Object.assign(block, { hash: otherHash })),
  'a block without a hash': lie(header, 'block', (block) => void delete block.hash),
  'another parent': lie(header, 'block', (block) => void Object.assign(block, { parentHash: otherHash })),
  'no parent': lie(header, 'block', (block) => void delete block.parentHash),
  'no transactions': lie(header, 'block', (block) => void Object.assign(block, { transactions: [] })),
  'no list of transactions': lie(header, 'block', (block) => void delete block.transactions),
  'without the last transaction': lie(header, 'block', ({ transactions }) => void transactions.pop()),
  'without the first transaction': lie(header, 'block', ({ transactions }) => void transactions.shift()),
  'transactions twice': lie(header, 'block', ({ transactions }) => void transactions.push(...transactions)),
  'transactions that are turned': lie(header, 'block', ({ transactions }) => void transactions.reverse()),
  'another time': lie(header, 'block', (block) => void Object.assign(block, { timestamp: '0x5' })),
  'no receipts': other(receipts, null),
  'an empty list of receipts': other(receipts, []),
  'receipts that are a text': other(receipts, 'none'),
  'without the last receipt': lie(receipts, 'block', (list) => void list.pop()),
  'a receipt that is null': lie(receipts, 'block', ([_, ...list]) => [null, ...list]),
  'a receipt twice': lie(receipts, 'block', (list) => [list[0], ...list]),
  'one receipt for all': lie(receipts, 'block', (list) => list.map(() => ({ ...list[0] }))),
  'receipts that are turned': lie(receipts, 'block', (list) => void list.reverse()),
  'receipts of the block before': lie(receipts, 'block', (_, { block, ask }) => ask([hexOf(block - 1)])),
  'receipts of another fork': lie(
    receipts,
    'block',
    each((at) => Object.assign(at, { blockHash: otherHash })),
  ),
  'receipts without a block': lie(
    receipts,
    'block',
    each((at) => delete at.blockHash),
  ),
  'receipts of other transactions': lie(
    receipts,
    'block',
    each((at) => Object.assign(at, { transactionHash: otherHash })),
  ),
  'receipts at other places': lie(
    receipts,
    'block',
    each((at, n) => Object.assign(at, { transactionIndex: hexOf(n + 1) })),
  ),
  'receipts without logs': lie(
    receipts,
    'block',
    each((at) => Object.assign(at, { logs: [] })),
  ),
  'receipts with each log twice': lie(
    receipts,
    'block',
    each((at) => at.logs.push(...at.logs)),
  ),
  'receipts with logs that are gone': lie(
    receipts,
    'block',
    each((at) => each((log) => Object.assign(log, { removed: true }))(at.logs)),
  ),
  'no logs': other(logs, []),
  'logs: null': other(logs, null),
  'no logs of the block': lie(logs, 'block', (list, told) => list.filter((log: any) => !own(list, told).includes(log))),
  'no logs from the block on': lie(logs, 'block', (list, { block }) =>
    list.filter((log: any) => Number(log.blockNumber) < block),
  ),
  'each log twice': lie(logs, 'block', (list) => [...list, ...list]),
  'logs that are turned': lie(logs, 'block', (list) => void list.reverse()),
  'logs that are gone': lie(logs, 'block', (list, told) =>
    each((log) => Object.assign(log, { removed: true }))(own(list, told)),
  ),
  'logs of another fork': lie(logs, 'block', (list, told) =>
    each((log) => Object.assign(log, { blockHash: otherHash }))(own(list, told)),
  ),
  'logs of another block': lie(logs, 'block', (list, told) =>
    each((log) => Object.assign(log, { blockNumber: hexOf(told.block - 1) }))(own(list, told)),
  ),
  'logs of another transaction': lie(logs, 'block', (list, told) =>
    each((log) => Object.assign(log, { transactionHash: otherHash }))(own(list, told)),
  ),
  'logs without a transaction index': lie(logs, 'block', (list, told) =>
    each((log) => delete log.transactionIndex)(own(list, told)),
  ),
  'logs beyond the range': lie(logs, 'block', (list) => [...list, { ...list[0], blockNumber: '0xffff' }]),
  'logs of another contract': lie(logs, 'block', (list, told) =>
    each((log) => Object.assign(log, { address: otherHash.slice(0, 42) }))(own(list, told)),
  ),
  'logs of another event': lie(logs, 'block', (list, told) =>
    each((log) => log.topics.splice(0, 1, otherHash))(own(list, told)),
  ),
  'logs without topics': lie(logs, 'block', (list, told) =>
    each((log) => Object.assign(log, { topics: [] }))(own(list, told)),
  ),
  'logs with fewer topics': lie(logs, 'block', (list, told) => each((log) => log.topics.pop())(own(list, told))),
  'one more log of another contract': lie(logs, 'block', (list) => [
    ...list,
    ...list.slice(-1).map((log: any) => ({ ...log, address: otherHash.slice(0, 42), logIndex: '0xfff' })),
  ]),
  'no logs of one of the contracts': lie(logs, 'block', (list, told) =>
    list.filter((log: any) => log.address !== own(list, told)[0]?.address),
  ),
  'no logs of one of the events': lie(logs, 'block', (list, told) =>
    list.filter((log: any) => log.topics[0] !== own(list, told)[0]?.topics[0]),
  ),
  'no state': other('state', null),
  'a state that is a text': other('state', 'none'),
  'a state that is empty': other('state', '0x'),
  'a state of 300 bits': other('state', `0x${'f'.repeat(75)}`),
  'a state below 0': other('state', '-0x5'),
  'a state that is a list': other('state', []),
  'the state of the block before': lie('state', 'block', (_, { block, params, ask }) =>
    ask([...params.slice(0, -1), hexOf(block - 1)]),
  ),
  'a state that is gone': other('state', refused(-32000, 'missing trie node')),
  'a state that is refused': other('state', refused(-32000, 'something is wrong')),
  'a state that is reverted': other('state', refused(3, 'execution reverted')),
  'no traces': other(traces, null),
  'an empty list of traces': other(traces, []),
  'without the last trace': lie(traces, 'block', (list) => void list.pop()),
  'traces twice': lie(traces, 'block', (list) => [...list, ...list]),
  'traces of the block before': lie(traces, 'block', (_, { block, params: [, tracer], ask }) =>
    ask([hexOf(block - 1), tracer]),
  ),
  'traces of other transactions': lie(
    traces,
    'block',
    each((at) => Object.assign(at, { txHash: otherHash })),
  ),
  'traces without hashes, turned': lie(traces, 'block', (list) =>
    list.map(({ result }: any) => ({ result })).reverse(),
  ),
  'traces that are null': lie(
    traces,
    'block',
    each((at) => Object.assign(at, { result: null })),
  ),
  'a head of 100,000': lie(header, 'head', (block) => void Object.assign(block, { number: hexOf(100_000) })),
  'a head that is one too high': lie(
    header,
    'head',
    (block) => void Object.assign(block, { number: hexOf(Number(block.number) + 1) }),
  ),
  'a head that is too low': lie(header, 'head', (block) => void Object.assign(block, { number: '0x5' })),
  'no head': other(header, null, 'head'),
  'a head without a number': lie(header, 'head', (block) => void delete block.number),
  'a head above 2^53': lie(header, 'head', (block) => void Object.assign(block, { number: `0x${'f'.repeat(20)}` })),
  'one answer is missing': lie('batch', 'block', (list) => void list.pop()),
  'one answer twice': lie('batch', 'block', (list) => void list.push(list[0])),
  'ids that are texts, in another order': lie('batch', 'block', (list) =>
    list.map((at: Said) => ({ ...at, id: `${at.id}` })).reverse(),
  ),
  'ids that are swapped': lie('batch', 'block', (list) =>
    list.map((at: Said, n: number) => ({ ...at, id: list[(n + 1) % list.length].id })),
  ),
  'one id for all': lie(
    'batch',
    'block',
    each((at, _) => Object.assign(at, { id: 1 })),
  ),
  'an empty batch': other('batch', []),
  'one object for a batch': other('batch', {}),
  'fewer containers': containers((all) => ({ containers: all.slice(0, 3) })),
  'more containers': containers(async (all, { params: { startIndex, ...rest }, ask }) => ({
    containers: [...all, ...(await ask({ ...rest, startIndex: Math.max(0, startIndex - 1) })).containers],
  })),
  'containers twice': containers((all) => ({ containers: [...all, ...all] })),
  'containers from the next index on': containers(async (_, told) =>
    told.ask({ ...told.params, startIndex: told.params.startIndex + 1 }),
  ),
  'containers from the next index on, numbered as requested': containers(async (_, told) =>
    numbered((await told.ask({ ...told.params, startIndex: told.params.startIndex + 1 }))?.containers ?? [], told),
  ),
  'without the container, numbered as requested': containers((all, told) =>
    numbered(
      all.filter((_, at) => at !== positionOf(told)),
      told,
    ),
  ),
  'the container twice, numbered as requested': containers((all, told) =>
    numbered(all.toSpliced(positionOf(told), 0, all[positionOf(told)]).slice(0, all.length), told),
  ),
  'containers that are turned, numbered as requested': containers((all, told) => numbered(all.toReversed(), told)),
  'another index': container((at) => Object.assign(at, { index: '999999' })),
  'an index below 0': container((at) => Object.assign(at, { index: '-1' })),
  'no index': container((at) => delete at.index),
  'another id': container((at) => Object.assign(at, { id: '11111111111111111111111111111111LpoYY' })),
  'other bytes': container((at, all) =>
    Object.assign(at, { bytes: all.find(({ bytes }) => bytes !== at.bytes)?.bytes ?? '0x' }),
  ),
  'no bytes': container((at) => Object.assign(at, { bytes: null })),
  'no time': container((at) => Object.assign(at, { timestamp: '0001-01-01T00:00:00Z' })),
  'no containers': other(range, { containers: [] }),
  'containers: null': other(range, { containers: null }),
  'a newest index of 100,000': lie(newest, 'head', (at) => void Object.assign(at, { index: '100000' })),
  'a newest index that is one too high': lie(
    newest,
    'head',
    (at) => void Object.assign(at, { index: String(Number(at.index) + 1) }),
  ),
  'a newest index that is too low': lie(newest, 'head', (at) => void Object.assign(at, { index: '5' })),
  'a newest index below 0': lie(newest, 'head', (at) => void Object.assign(at, { index: '-5' })),
  'a newest container that is null': other(newest, null, 'head'),
  'a height of 100,000': other(height, { height: '100000' }, 'head'),
  'a height that is too low': other(height, { height: '5' }, 'head'),
  'a height of 0': other(height, { height: '0' }, 'head'),
  'no height': other(height, {}, 'head'),
  'a height below 0': other(height, { height: '-1' }, 'head'),
  'no block at a height': other(byHeight, {}),
  'the block of the height before': lie(byHeight, 'block', (_, { block, params, ask }) =>
    ask({ ...params, height: String(block - 1) }),
  ),
  'a block that is damaged': lie(
    byHeight,
    'block',
    (at) => void Object.assign(at, { block: at.block.replace(/.{12}$/, '000000000000') }),
  ),
}

/** Outcomes of lies that no reader can tell from the truth: `lie, node, run, how often`. */
const unnoticed: UnnoticedLies = [
  // Nothing above a head counts as read.
  ['late', /^(?:a (?:head|newest index|height) that is too low|no head|a height of 0|a newest index below 0)/],
  // Headers of unknown chains prove nothing, and neither do their Bloom filters.
  ['false', /^(?:another time|receipts without logs), unknown/],
  ['lost', /^(?:no logs.*), unknown chain, (?:logs|events), .*always/],
  // Some chains have logs of transactions that they do not list, and a warning says so.
  ['lost', /^without the last transaction, unknown chain, logs, .*always/],
  // The Bloom filters of the invented chain are constant.
  [
    'false',
    /^(?:logs of another (?:contract|event)|logs with(?:out| fewer) topics|one more log of.*), unknown chain, logs,/,
  ],
  // A log with other topics is of another event with the same name: a notice counts these.
  ['lost', /^logs with fewer topics, .*events, .*always/],
  // The value of a state is what the node says, and nothing but `verify` compares the block that it comes with.
  ['false', /^the state of the block before, .*, evm-/],
  ['false', /^a state that is empty, .*, evm-(?:codes|calls)/],
  ['false', /^a state that is reverted, .*, evm-calls/],
  ['false', /^(?:the block before, with|a block of another fork).*, evm-/],
]

const tally = createTally(unnoticed)

type Node = {
  readonly name: string
  readonly pipeline: Pipeline
  readonly values?: object
  /** The answers of the node while it has as many blocks. */
  readonly honest: (body: string, path: string, shown: number) => Promise<string>
  readonly lies: RegExp
}

const [fewBlocks, allBlocks] = [24, 40]
const closing: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const close of closing) await close()
})

const post = async (url: string, body: string) =>
  (await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } })).text()

const addresses = ['a', 'b'].map((digit) => `0x${digit.repeat(40)}`)
/** The first contracts that emit transfers of amounts. */
const contractsOf = (chain: readonly NodeBlock[]): string[] => {
  const logs = chain.flatMap(({ receipts }) => receipts.flatMap((receipt) => receipt.logs as any[]))
  return [...new Set(logs.filter(({ topics }) => topics.length === 3).map(({ address }) => address))].slice(0, 2)
}

/** Nodes of an EVM chain. */
async function evmNodes(name: string, chain: readonly NodeBlock[]): Promise<Node[]> {
  const answers: EvmNodeOptions['interfere'] = ({ method, params }) =>
    stateOf[method] && { result: stateOf[method](Number(params.at(-1))) }
  const [few, all] = await Promise.all(
    [fewBlocks, allBlocks].map((count) => startEvmNode(chain.slice(0, count), { interfere: answers })),
  )
  closing.push(few!.close, all!.close)
  const honest: Node['honest'] = (body, path, shown) => post((shown === fewBlocks ? few! : all!).url + path, body)
  const nodes: Node[] = [
    { name: `${name}, blocks`, pipeline: evmBlocksPipeline, honest, lies: /^(eth_getBlock|batch)/ },
    { name: `${name}, logs`, pipeline: evmLogsPipeline, honest, lies: /^(eth_getBlockByNumber|eth_getLogs|batch)/ },
    {
      ...{ name: `${name}, events`, pipeline: evmEventsPipeline, honest, lies: /^eth_getLogs/ },
      values: { events: [transfer, approval], contracts: contractsOf(chain) },
    },
  ]
  if (chain.every((block) => block.traces === undefined)) return nodes
  const ofTraces = { name: `${name}, traces`, pipeline: evmTracesPipeline, honest }
  const ofState: readonly Pick<Node, 'pipeline' | 'values'>[] = [
    { pipeline: evmBalancesPipeline },
    { pipeline: evmNoncesPipeline },
    { pipeline: evmCodesPipeline },
    { pipeline: evmStoragePipeline, values: { addresses, slots: ['0x1'] } },
    { pipeline: evmCallsPipeline, values: { contracts: addresses, calls: ['0x18160ddd'] } },
  ]
  return [
    ...nodes,
    { ...ofTraces, lies: /^(eth_getBlockByNumber|debug|batch)/ },
    ...ofState.map(({ pipeline, values = { addresses } }) => {
      const lies = pipeline === evmBalancesPipeline ? /^(eth_getBlockByNumber|state)/ : /^state/
      return { name: `${name}, ${pipeline.name}`, pipeline, values, honest, lies }
    }),
  ]
}

/** A recorded node that serves only the first blocks of its P-Chain. */
async function pNodes(): Promise<Node[]> {
  const node = await startDevnet({ replay: recordingFolder('granite') })
  closing.push(node.close)
  const honest: Node['honest'] = async (body, path, shown) => {
    const { id, method, params } = JSON.parse(body) as Call
    const ask = (method: string, params: object) =>
      post(node.url + path, JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    const refused = (message: string) => JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message } })
    if (method === newest) return ask('index.getContainerByIndex', { ...params, index: shown - 1 })
    if (method === height) return JSON.stringify({ jsonrpc: '2.0', id, result: { height: String(shown) } })
    if (method === byHeight && Number(params.height) > shown) return refused('not found')
    if (method !== range) return ask(method, params)
    if (params.startIndex >= shown)
      return refused(`start index (${params.startIndex}) > last accepted index (${shown - 1})`)
    return ask(method, { ...params, numToFetch: Math.min(params.numToFetch, shown - params.startIndex) })
  }
  return [
    { name: 'P-Chain, index', pipeline: pBlocksPipeline, honest, lies: /^index/ },
    { name: 'P-Chain, heights', pipeline: pBlocksPipeline, values: { source: 'rpc' }, honest, lies: /^platform/ },
  ]
}

/** Whether a call is about a block; `head`: about the newest one. */
function isAbout({ method, params }: Call, block: number | 'head', hash: string | undefined): boolean {
  if (method === newest || method === height) return block === 'head'
  if (method === byHeight) return Number(params.height) === block
  if (method === range) return params.startIndex < block && params.startIndex + params.numToFetch >= Number(block)
  const [first] = params
  if (stateOf[method] !== undefined) return Number(params.at(-1)) === block
  if (method !== logs) return block === 'head' ? /^[a-z]+$/.test(first) : Number(first) === block
  if (first.blockHash !== undefined) return first.blockHash === hash
  return Number(first.fromBlock) <= Number(block) && Number(first.toBlock) >= Number(block)
}

/** The node, with a door that tells lies. */
async function openDoor({ honest }: Node, hashOf: (block: number) => string | undefined) {
  const state = { shown: allBlocks, block: 0, lie: null as Lie | null, left: 0, told: 0 }
  const server = await startServer(async ({ body, path }) => {
    const asked = JSON.parse(body || '{}') as Call | Call[]
    const text = await honest(body, path, state.shown)
    const { lie, block } = state
    if (lie === null || body === '') return { body: text }
    const [calls, answers] = [[asked].flat(), [JSON.parse(text) as Said | Said[]].flat()]
    const about = lie.where === 'head' ? 'head' : block
    const told = async (call: Call, result: unknown) => {
      if (state.left === 0 || !isAbout(call, about, hashOf(block))) return result
      const ask = async (params: unknown) =>
        (JSON.parse(await honest(JSON.stringify({ ...call, params }), path, state.shown)) as Said).result
      const said = await lie.tell(result, { params: call.params, block, ask })
      if (JSON.stringify(said) === JSON.stringify(result)) return result
      state.left -= 1
      state.told += 1
      return said
    }
    if (lie.of === 'batch') {
      const call = calls.find((each) => isAbout(each, block, hashOf(block)))
      return { body: call === undefined || !Array.isArray(asked) ? text : JSON.stringify(await told(call, answers)) }
    }
    for (const call of calls) {
      const answer = answers.find(({ id }) => id === call.id)
      const isOf = lie.of === 'state' ? stateOf[call.method] !== undefined : call.method === lie.of
      if (!isOf || answer?.result === undefined) continue
      const result = await told(call, answer.result)
      if (!isRefusal(result)) answer.result = result
      else Object.assign(answer, { result: undefined, error: result.refused })
    }
    return { body: JSON.stringify(Array.isArray(asked) ? answers : answers[0]) }
  })
  const connection = createTransport({ baseUrl: server.url, tries: 3, backoff: { baseMs: 1, maxMs: 1 } })
  closing.push(connection.close, server.close)
  return { state, connection }
}

const real = recordedAnswers('granite').slice(0, allBlocks)
const unknown = otherChain('lies', allBlocks)
/** A block of the first run and one of the later run, with logs; and the block at which the later run begins. */
const placesOf = (chain: readonly NodeBlock[]) => {
  const hasLogs = ({ receipts }: NodeBlock) => receipts.some((receipt) => receipt.logs.length > 0)
  const first = chain.findIndex((block, at) => at > 4 && hasLogs(block))
  const later = chain.findIndex((block, at) => at > fewBlocks + 2 && hasLogs(block))
  return { first, later, edge: fewBlocks }
}

test.each([
  ['known chain', () => evmNodes('known chain', real), real],
  ['unknown chain', () => evmNodes('unknown chain', unknown), unknown],
  ['P-Chain', pNodes, null],
] as const)('lies of a node of a %s', async (_, nodesOf, chain) => {
  const unexpected: string[] = []
  for (const node of await nodesOf()) {
    const { state, connection } = await openDoor(node, (block) => chain?.[block]?.block.hash)
    const network = chain === null ? await identifyNetwork(connection) : {}
    const values = chain === null ? node.values : { chain: connection.url, finality: 0, ...node.values }
    const streams = await rangesOf(node.pipeline, values ?? {}, connection, network)
    const run = (lake: MemoryRange) =>
      walkRanges(streams, lake, connection).then(
        () => null,
        (error) => (error as { readonly code?: string }).code ?? `${error}`,
      )
    const read = async (shown: number) => {
      state.shown = shown
      const lake = newMemoryRange()
      expect(await run(lake)).toBe(null)
      return lake
    }
    const few = await read(fewBlocks)
    const truth = (await read(allBlocks)).rows.toSorted()
    const isWhole = ({ rows }: MemoryRange) => JSON.stringify(rows.toSorted()) === JSON.stringify(truth)
    const places = chain === null ? { first: 9, later: 33, edge: fewBlocks + 1 } : placesOf(chain)
    for (const [name, told] of Object.entries(lies).filter(([, { of }]) => node.lies.test(of)))
      for (const [when, block] of Object.entries(places))
        for (const [often, left] of [['once', 1] as const, ['always', Number.POSITIVE_INFINITY] as const]) {
          if (when === 'edge' && often === 'once') continue
          const lake = when === 'first' ? newMemoryRange() : { rows: [...few.rows], covered: new Map(few.covered) }
          Object.assign(state, { lie: told, block, left, told: 0 })
          const failure = await run(lake)
          const [wasWhole, isTrue] = [isWhole(lake), lake.rows.every((row) => truth.includes(row))]
          state.lie = null
          const again = await run(lake)
          if (state.told === 0 || (wasWhole && again === null)) continue
          const completed = isWhole(lake) ? (failure ?? 'late') : 'lost'
          const outcome = isTrue ? (again ?? completed) : 'false'
          const text = `${name}, ${node.name}, ${when}, ${often}`
          if (isTrue && again === null && /^[a-z]+\.[a-z-]+$/.test(outcome)) continue
          if (!tally.isKnown(outcome, text)) unexpected.push(`${outcome}: ${text}`)
        }
  }
  expect(unexpected).toEqual([])
})

test('each lie that goes unnoticed was told', () => {
  expect(tally.untold()).toEqual([])
})
