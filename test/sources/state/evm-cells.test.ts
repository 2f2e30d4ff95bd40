import { afterEach, describe, expect, test } from 'vitest'
import type { EvmSubject } from '../../../src/define/index.ts'
import { RpcError } from '../../../src/errors.ts'
import { createTransport } from '../../../src/fetch/transport.ts'
import { createEvmCells, createSharedCells, readCell } from '../../../src/sources/evm-state.ts'
import { recordedAnswers } from '../../decode/evm/rpc-facts.ts'
import { quick, type Reply } from '../../fetch/local-server.ts'
import { stateCalls } from '../../recorded-state.ts'
import { type Call, type Said, startEvmNode } from '../evm-node.ts'

type EvmCellsOptions = NonNullable<Parameters<typeof createEvmCells>[3]>

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const granite = recordedAnswers('granite')
const head = granite.length - 1

/** A subject with one call. Its answer is the name and the block. */
const subjectOf = (name: string): EvmSubject => ({
  name,
  calls: (block) => [{ method: 'eth_getBalance', params: [name, block] }],
})
const subjects = (count: number) => Array.from({ length: count }, (_, at) => subjectOf(`subject-${at}`))

type Interfere = (call: Call) => Said | undefined

async function serve(options: { interfere?: Interfere; refuse?: (calls: readonly Call[]) => Reply | undefined } = {}) {
  const node = await startEvmNode(granite, {
    interfere: (call) =>
      options.interfere?.(call) ??
      (call.method === 'eth_getBalance' ? { result: `${call.params[0]} ${Number(call.params[1])}` } : undefined),
    ...(options.refuse === undefined ? {} : { refuse: options.refuse }),
  })
  cleanups.push(node.close)
  const connection = createTransport({ baseUrl: node.url, ...quick })
  cleanups.push(connection.close)
  const cells = (own: readonly EvmSubject[], rest: EvmCellsOptions = {}) =>
    createEvmCells(connection, '/rpc', own, { waitMs: 2, ...rest })
  return { node, connection, cells }
}

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('the request succeeded'),
    (error: Error & { code: string; hint: string; details: object }) => error,
  )

describe('a window', () => {
  test('has a cell for each subject and block, with the header of the block from the same batch', async () => {
    const { node, cells } = await serve()
    const source = cells(subjects(3))
    expect(source.windowSize()).toBe(10)
    const found = await source.window(4, 14)
    expect(found.map(({ number, subject }) => [number, subject])).toEqual(
      Array.from({ length: 10 }, (_, at) => subjects(3).map(({ name }) => [at + 4, name])).flat(),
    )
    for (const { number, subject, block, outcomes } of found) {
      expect(block['hash']).toBe(granite[number]!.block.hash)
      expect(outcomes).toEqual([{ result: `${subject} ${number}` }])
    }
    expect(node.requested().map((calls) => calls.length)).toEqual([40])
    expect(await source.head()).toBe(head)
  })

  test('with a step has only its multiples', async () => {
    const { cells } = await serve()
    const source = cells(subjects(1), { step: 50 })
    expect(source.windowSize()).toBe(20 * 50)
    expect((await source.window(1, 170)).map(source.at)).toEqual([50, 100, 150])
  })

  test('with more subjects than a batch holds repeats the header in each batch', async () => {
    const { node, cells } = await serve()
    const source = cells(subjects(100))
    expect(source.windowSize()).toBe(1)
    expect((await source.window(7, 8)).map(({ subject }) => subject)).toEqual(subjects(100).map(({ name }) => name))
    expect(
      node
        .requested()
        .map((calls) => calls.length)
        .sort(),
    ).toEqual([23, 40, 40])
    for (const calls of node.requested()) expect(calls[0]).toMatchObject({ method: 'eth_getBlockByNumber' })
  })

  test('is refused when two batches have different headers of a block', async () => {
    let count = 0
    const { cells } = await serve({
      interfere: ({ method, params: [number] }) =>
        method === 'eth_getBlockByNumber' && count++ % 2 === 1
          ? { result: { ...granite[Number(number)]!.block, hash: `0x${'ab'.repeat(32)}` } }
          : undefined,
    })
    expect(await failure(cells(subjects(60)).window(7, 8))).toMatchObject({ code: 'evm.other-block' })
  })

  test('is requested again while the node lags behind', async () => {
    let left = 2
    const { cells } = await serve({
      interfere: ({ method }) =>
        method === 'eth_getBalance' && left-- > 0
          ? { error: { code: -32000, message: 'cannot query unfinalized data' } }
          : undefined,
    })
    expect(await cells(subjects(1)).window(7, 8)).toHaveLength(1)
  })

  test('is requested in smaller pieces while answers are too large', async () => {
    const { node, cells } = await serve({
      refuse: (calls) => (calls.length > 3 ? { status: 413, body: 'too large' } : undefined),
    })
    const found = await cells(subjects(5)).window(4, 8)
    expect(found).toHaveLength(20)
    expect(new Set(found.map(({ number, subject }) => `${number} ${subject}`)).size).toBe(20)
    expect(Math.min(...node.requested().map((calls) => calls.length))).toBeLessThanOrEqual(3)
  })

  test.each<[string, Reply]>([
    ['a gateway timeout', { status: 504, body: '<html>504</html>' }],
    ['words of its own', { body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"zu viel"}}' }],
  ])('is requested in smaller pieces after %s, each with the headers of its blocks', async (_, reply) => {
    const { node, cells } = await serve({ refuse: (calls) => (calls.length > 9 ? reply : undefined) })
    const found = await cells(subjects(5)).window(4, 10)
    expect(found.map(({ number, subject }) => `${number} ${subject}`)).toEqual(
      [4, 5, 6, 7, 8, 9].flatMap((number) => subjects(5).map(({ name }) => `${number} ${name}`)),
    )
    for (const calls of node.requested()) expect(calls[0]).toMatchObject({ method: 'eth_getBlockByNumber' })
  })

  test('with refused calls requests one of each kind again alone', async () => {
    const { node, cells } = await serve({
      interfere: ({ method, params: [name, block] }) =>
        method === 'eth_getBalance' && name !== 'subject-0'
          ? { error: { code: -32000, message: `account ${name} is unknown at ${Number(block)}` } }
          : undefined,
    })
    const error = await failure(cells(subjects(9)).window(4, 8))
    expect(error.message).toContain('is unknown')
    expect(node.requested()[0]).toHaveLength(40)
    expect(
      node
        .requested()
        .slice(1)
        .every((calls) => calls.length <= 2),
    ).toBe(true)
    expect(node.requested().length).toBeLessThan(25)
  })

  test('is complete from a server without batches', async () => {
    const { cells } = await serve({ refuse: (calls) => (calls.length > 1 ? { status: 400, body: 'no' } : undefined) })
    expect(await cells(subjects(3)).window(4, 9)).toHaveLength(15)
  })
})

describe('an answer that is not whole or not to the requests', () => {
  const told = (calls: readonly Call[], change: (answers: any[]) => unknown): Reply => {
    const answers = calls.map(({ id, method, params: [first, second] }) => ({
      jsonrpc: '2.0',
      id,
      result:
        method === 'eth_getBlockByNumber'
          ? granite[Number(first === 'finalized' ? head : first)]!.block
          : `${first} ${Number(second)}`,
    }))
    return { body: JSON.stringify(change(answers)) }
  }
  const honest = (calls: readonly Call[]) => (told(calls, (answers) => answers) as { body: string }).body
  const wrong: readonly (readonly [string, (calls: readonly Call[]) => Reply])[] = [
    ['has the id of no request', (calls) => told(calls, ([first, ...rest]) => [{ ...first, id: 'other' }, ...rest])],
    ['has one id twice', (calls) => told(calls, (answers) => answers.map((each) => ({ ...each, id: answers[0].id })))],
    ['is without one of the results', (calls) => told(calls, (answers) => answers.slice(0, -1))],
    ['is without the header', (calls) => told(calls, ([_, ...rest]) => rest)],
    ['has neither result nor error', (calls) => told(calls, ([{ id }, ...rest]) => [{ jsonrpc: '2.0', id }, ...rest])],
    ['is an empty list', (calls) => told(calls, () => [])],
    [
      'has the header of another block',
      (calls) => told(calls, ([first, ...rest]) => [{ ...first, result: granite[99]!.block }, ...rest]),
    ],
    ['is truncated JSON', (calls) => ({ body: honest(calls).slice(0, -20) })],
    ['is cut in the middle', (calls) => ({ fault: 'cut', body: honest(calls).slice(0, 200) })],
    ['is a reset', () => ({ fault: 'reset' })],
    ['is a 429', () => ({ status: 429, headers: { 'retry-after': '0' }, body: 'slow down' })],
    ['is a 503', () => ({ status: 503, body: 'busy' })],
  ]

  test.each(wrong)('gives no cells, or the right ones: it %s', async (_, lie) => {
    const cellsOf = async (tell: (calls: readonly Call[]) => Reply | undefined) => {
      const { cells } = await serve({ refuse: tell })
      const found = await cells(subjects(3), { tries: 2 })
        .window(4, 14)
        .catch(() => null)
      return found?.map(({ number, subject, outcomes }) => [number, subject, outcomes]) ?? null
    }
    const right = Array.from({ length: 10 }, (_, at) =>
      subjects(3).map(({ name }) => [at + 4, name, [{ result: `${name} ${at + 4}` }]]),
    ).flat()
    // Always: a single call may have the right answer. The first times only: the window is whole, or it fails and the run ends.
    let left = 2
    for (const tell of [lie, (calls: readonly Call[]) => (left-- > 0 ? lie(calls) : undefined)])
      expect([null, right]).toContainEqual(await cellsOf(tell))
  })

  test('overcomes cuts, resets and refusals that pass', async () => {
    for (const [name, lie] of wrong.filter(([each]) => /JSON|cut|reset|429|503/.test(each))) {
      let left = 2
      const { cells } = await serve({ refuse: (calls) => (left-- > 0 ? lie(calls) : undefined) })
      expect(await cells(subjects(3)).window(4, 14), name).toHaveLength(30)
    }
  })
})

describe('sources of single subjects', () => {
  test('share the requests of blocks that several are missing', async () => {
    const { node, connection } = await serve()
    const create = createSharedCells(connection, '/rpc', { step: 10 })
    const own = subjects(4).map(create)
    const together = own[0]!.shared!.together(own)
    const windows = await Promise.all(together.map((source) => source.window(0, 50)))
    expect(windows.map((cells) => cells.map(({ subject, number }) => `${subject} ${number}`))).toEqual(
      subjects(4).map(({ name }) => [0, 10, 20, 30, 40].map((number) => `${name} ${number}`)),
    )
    expect(node.requested()).toHaveLength(1)
    const alone = own[2]!.shared!.together([own[2]!])[0]!
    expect((await alone.window(50, 60)).map(({ number }) => number)).toEqual([50])
  })
})

describe('a refused call', () => {
  const refusing =
    (message: string, code = -32000): Interfere =>
    ({ method }) =>
      method === 'eth_getBalance' ? { error: { code, message } } : undefined

  test('is an error with its block and what helps', async () => {
    const { cells } = await serve({ interfere: refusing('execution aborted (timeout = 30s)', -32002) })
    const error = await failure(cells(subjects(1)).window(7, 8))
    expect(error).toBeInstanceOf(RpcError)
    expect(error).toMatchObject({
      message: expect.stringContaining('Block 7: '),
      hint: expect.stringMatching(/api-max-duration/),
    })
    expect(error.details).toMatchObject({ 'block number': 7, method: 'eth_getBalance' })
  })

  test('is an answer where its subject says so', async () => {
    const { connection } = await serve({ interfere: refusing('execution reverted') })
    const subject = {
      ...subjectOf('a'),
      isAnswer: ({ message }: { message: string }) => message === 'execution reverted',
    }
    const question = { host: 'node', endpoint: { url: null }, path: '/rpc', subject, block: 7 } as const
    const cell = await readCell(connection, question, { parse: (each) => each })
    expect(cell.outcomes).toEqual([{ refusal: { code: -32000, message: 'execution reverted', data: null } }])
  })

  test('that names no state says from which block on the node has it, after one search', async () => {
    const [{ error: missing } = expect.fail()] = stateCalls('eth_getBalance', 'pruned').filter(({ error }) => error)
    const { node, cells } = await serve({
      interfere: ({ method, params: [, block] }) =>
        method === 'eth_getBalance' && Number(block) > 0 && Number(block) < 113 ? { error: missing! } : undefined,
    })
    const source = cells(subjects(1))
    const error = await failure(source.window(3, 4))
    expect(error).toMatchObject({
      code: 'evm.no-state',
      message: expect.stringMatching(/^The node has no state of block 3: missing trie node/),
    })
    expect(error.hint).toMatch(/^From block 113 on, this node has the state.*archive node.*pruning-enabled: false/)
    const requests = node.requested().length
    await failure(source.window(4, 5))
    expect(node.requested().length).toBe(requests + 1)
    expect((await source.window(0, 1)).length).toBe(1)
  })

  test('of a method that the node does not have ends the job', async () => {
    const [{ error } = expect.fail()] = stateCalls('eth_getBalance', 'eth-off')
    const { cells } = await serve({ interfere: refusing(error!.message, error!.code) })
    expect(await failure(cells(subjects(1)).window(3, 4))).toMatchObject({
      code: 'evm.no-method',
      message: 'The node does not have the method eth_getBalance.',
    })
  })
})
