import { afterEach, describe, expect, test } from 'vitest'
import { startDevnet, transientFaults } from '../../devnet/serve.ts'
import { readEvmBlock } from '../../src/decode/evm/blocks.ts'
import { RpcError } from '../../src/errors.ts'
import { createTransport, type TransportOptions } from '../../src/fetch/transport.ts'
import type { EvmBlock } from '../../src/model.ts'
import { evmNetworkName, identifyEvmChain } from '../../src/sources/evm-answers.ts'
import { createEvmBlocks } from '../../src/sources/evm-blocks.ts'
import { type Answers, recordedAnswers } from '../decode/evm/rpc-facts.ts'
import { quick, type Reply } from '../fetch/local-server.ts'
import { recordingFolder } from '../recorded.ts'
import { type Call, type EvmNodeOptions, type Said, startEvmNode, without } from './evm-node.ts'

type EvmBlocksOptions = NonNullable<Parameters<typeof createEvmBlocks>[2]>

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const granite = recordedAnswers('granite')
const route = '/ext/bc/C/rpc'

function transportTo(baseUrl: string, options: Partial<TransportOptions> = {}) {
  const transport = createTransport({ baseUrl, ...quick, ...options })
  cleanups.push(transport.close)
  return transport
}

async function serve(
  options: EvmNodeOptions & EvmBlocksOptions & { chain?: readonly Answers[]; maxBytes?: number } = {},
) {
  const { chain = granite, interfere, refuse, maxBytes, ...rest } = options
  const node = await startEvmNode(chain, {
    ...(interfere === undefined ? {} : { interfere }),
    ...(refuse === undefined ? {} : { refuse }),
  })
  cleanups.push(node.close)
  const transport = transportTo(node.url, maxBytes === undefined ? {} : { maxBytes })
  return { node, transport, source: createEvmBlocks(transport, route, { waitMs: 2, ...rest }) }
}

function expected(from: number, to: number): EvmBlock[] {
  return granite.slice(from, to).map((each) => ({ number: Number(each.block.number), ...each }))
}

async function failure(promise: Promise<unknown>) {
  return await promise.then(
    () => expect.fail('the request succeeded'),
    (error: { code: string; message: string; details: object; rpcCode?: number }) => error,
  )
}

describe('a window', () => {
  test('has exactly the requested blocks with their receipts, in batches of forty calls', async () => {
    const { node, source } = await serve()
    expect(await source.window(3, 50)).toEqual(expected(3, 50))
    expect(node.requested().map((calls) => calls.length)).toEqual([40, 40, 14])
    expect(
      node
        .requested()[0]!
        .slice(0, 2)
        .map(({ method, params }) => ({ method, params })),
    ).toEqual([
      { method: 'eth_getBlockByNumber', params: ['0x3', true] },
      { method: 'eth_getBlockReceipts', params: ['0x3'] },
    ])
    expect(source.windowSize()).toBe(20)
    expect(await source.window(7, 7)).toEqual([])
  })

  test('links its blocks by hash, and the first block has no parent', async () => {
    const { source } = await serve()
    const [genesis, first] = await source.window(0, 2)
    expect(source.link!(genesis!)).toEqual({ id: granite[0]!.block.hash, parentId: null })
    expect(source.link!(first!)).toEqual({ id: granite[1]!.block.hash, parentId: granite[0]!.block.hash })
    expect([genesis!, first!].map(source.at)).toEqual([0, 1])
  })

  test('with a step has only the multiples of the step, without links', async () => {
    const { node, source } = await serve({ step: 50 })
    const blocks = await source.window(1, 201)
    expect(blocks.map(source.at)).toEqual([50, 100, 150, 200])
    expect(blocks).toEqual([50, 100, 150, 200].flatMap((number) => expected(number, number + 1)))
    expect(source.link).toBeUndefined()
    expect(source.windowSize()).toBe(20 * 50)
    expect(node.requested()).toHaveLength(1)
  })

  const missing: [number, string][] = [
    [-32601, 'the method eth_getBlockReceipts does not exist/is not available'],
    [-32600, 'Unsupported method: eth_getBlockReceipts. See available methods at https://docs.example'],
    [-32001, 'rpc method is not whitelisted'],
    [-32004, 'The method eth_getBlockReceipts is not supported.'],
    [-32000, 'the method eth_getBlockReceipts does not exist/is not available'],
    [-32700, 'not supported'],
    [-32000, 'not found'],
    [-32603, 'could not read the block'],
  ]
  test.each(missing)(
    'uses transaction receipts when the node has no block receipts, and seldom requests those again (%i %s)',
    async (code, message) => {
      const { node, source } = await serve({
        interfere: ({ method }) => (method === 'eth_getBlockReceipts' ? { error: { code, message } } : undefined),
      })
      const calls = (method: string) =>
        node
          .requested()
          .flat()
          .filter((call) => call.method === method)
      expect(await source.window(1, 30)).toEqual(expected(1, 30))
      expect(await source.window(30, 60)).toEqual(expected(30, 60))
      // In another code each of the two batches of the first window has the first refused call once more, alone.
      expect(calls('eth_getBlockReceipts')).toHaveLength(code === -32601 ? 29 : 31)
      const transactions = granite.slice(1, 60).flatMap(({ block }) => block.transactions)
      expect(calls('eth_getTransactionReceipt')).toHaveLength(transactions.length)
      expect(Math.max(...node.requested().map((calls) => calls.length))).toBe(40)
    },
  )

  test('uses transaction receipts for the one block that the node refuses, and continues with block receipts', async () => {
    const message = 'missing trie node 1b37f203 (path ) state 0x1b37f203 is not available, not found'
    const { node, source } = await serve({
      interfere: ({ method, params }) =>
        method === 'eth_getBlockReceipts' && params[0] === '0x5' ? { error: { code: -32000, message } } : undefined,
    })
    expect(await source.window(3, 9)).toEqual(expected(3, 9))
    expect(await source.window(9, 29)).toEqual(expected(9, 29))
    const requested = node.requested().flat()
    expect(requested.filter(({ method }) => method === 'eth_getBlockReceipts')).toHaveLength(26)
    expect(requested.filter(({ method }) => method === 'eth_getTransactionReceipt')).toHaveLength(
      granite[5]!.block.transactions.length,
    )
  })

  test.each([
    ['null', null],
    ['an empty list', []],
  ])('uses transaction receipts when the node answers with %s for blocks with transactions', async (_, result) => {
    const interfere = ({ method }: Call) => (method === 'eth_getBlockReceipts' ? { result } : undefined)
    const { source } = await serve({ interfere })
    const blocks = await source.window(1, 30)
    expect(blocks.map(({ remarks, ...block }) => block)).toEqual(expected(1, 30))
    const remarks = blocks.flatMap((each) => each.remarks ?? [])
    expect(new Set(remarks)).toEqual(
      new Set(['eth_getBlockReceipts returns none of their receipts, which were requested one by one']),
    )
    const silent = await serve({
      tries: 2,
      interfere: (call) => (call.method === 'eth_getTransactionReceipt' ? { result: null } : interfere(call)),
    })
    expect(await failure(silent.source.window(1, 30))).toMatchObject({ code: 'evm.missing-block', exitCode: 3 })
  })

  test('says why the node refuses the receipts of a block if it refuses each of them', async () => {
    const { source } = await serve({
      interfere: ({ method }) => {
        if (method === 'eth_getBlockReceipts') return { error: { code: -32000, message: 'no receipts here' } }
        return method === 'eth_getTransactionReceipt' ? { error: { code: -32000, message: 'nor here' } } : undefined
      },
    })
    expect((await failure(source.window(3, 9))).message).toBe('Block 3: eth_getBlockReceipts failed: no receipts here')
  })

  test('has no receipts for blocks without transactions, nor for block 0, whatever the node answers', async () => {
    const transactionsRoot = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
    const nothing = { transactions: [], transactionsRoot, gasUsed: '0x0', logsBloom: `0x${'0'.repeat(512)}` }
    const empty = granite.map((each, at) => (at === 7 ? { block: { ...each.block, ...nothing }, receipts: [] } : each))
    for (const said of [{ result: null }, { error: { code: -32603, message: 'could not find l1 block info tx' } }]) {
      const { source } = await serve({
        chain: empty,
        interfere: ({ method, params }) =>
          method === 'eth_getBlockReceipts' && ['0x0', '0x7'].includes(params[0]) ? said : undefined,
      })
      const blocks = await source.window(0, 9)
      expect([blocks[0]!.receipts, blocks[7]!.receipts]).toEqual([[], []])
      expect(blocks[8]).toEqual(expected(8, 9)[0])
    }
    const [genesis, ...others] = granite
    const chain = [
      { ...genesis!, block: { ...genesis!.block, transactions: granite[1]!.block.transactions } },
      ...others,
    ]
    const started = await serve({
      chain,
      interfere: ({ method, params }) =>
        params[0] === '0x0' && method === 'eth_getBlockReceipts' ? { result: null } : undefined,
    })
    expect((await started.source.window(0, 2))[0]!.receipts).toEqual([])
  })

  test('has receipts and logs in the order of the transactions, whatever the order of the answer', async () => {
    const { source } = await serve({
      interfere: ({ method }, honest) => {
        if (method !== 'eth_getBlockReceipts' || !('result' in honest)) return undefined
        const receipts = honest.result as { logs: object[] }[]
        return { result: receipts.map((each) => ({ ...each, logs: each.logs.toReversed() })).reverse() }
      },
    })
    expect(await source.window(0, 40)).toEqual(expected(0, 40))
  })

  const refusals: [string, EvmNodeOptions['refuse'], number][] = [
    [
      'takes no batches, with an error for all',
      (_, isBatch) =>
        isBatch
          ? { body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"cannot unmarshal array"}}' }
          : undefined,
      1,
    ],
    ['takes no batches, with a status', (_, isBatch) => (isBatch ? { status: 400, body: 'no' } : undefined), 1],
    [
      'takes ten calls',
      ({ length }) =>
        length > 10 ? { body: '{"jsonrpc":"2.0","error":{"code":-32600,"message":"batch too large"}}' } : undefined,
      10,
    ],
  ]
  test.each(refusals)('is complete from a node that %s', async (_, refuse, most) => {
    const { node, source } = await serve({ ...(refuse === undefined ? {} : { refuse }) })
    expect(await source.window(0, 20)).toEqual(expected(0, 20))
    const before = node.requested().length
    expect(await source.window(20, 30)).toEqual(expected(20, 30))
    expect(
      Math.max(
        ...node
          .requested()
          .slice(before)
          .map((calls) => calls.length),
      ),
    ).toBe(most)
  })

  test('shrinks while answers are large, but a single block may be larger', async () => {
    const large = granite.map((each) => ({ ...each, block: { ...each.block, padding: 'x'.repeat(200_000) } }))
    const { source, node } = await serve({ chain: large })
    expect((await source.window(0, 20)).map(source.at)).toEqual(Array.from({ length: 20 }, (_, at) => at))
    expect(source.windowSize()).toBe(2)
    const huge = granite.map((each) => ({ ...each, block: { ...each.block, padding: 'x'.repeat(9_000_000) } }))
    const other = await serve({ chain: huge.slice(0, 3) })
    expect(await other.source.window(0, 2)).toHaveLength(2)
    expect(other.source.windowSize()).toBe(1)
    expect(node.requested().length).toBeLessThan(15)
  })

  test('shrinks when the node refuses the answer as too large', async () => {
    const { source } = await serve({
      refuse: ({ length }) => (length > 8 ? { status: 413, body: 'too much' } : undefined),
    })
    expect(await source.window(0, 20)).toEqual(expected(0, 20))
    const items = await serve({
      interfere: ({ params }, _, count) =>
        count === 0 && params[0] === '0x5' ? { error: { code: -32003, message: 'response too large' } } : undefined,
    })
    expect(await items.source.window(0, 20)).toEqual(expected(0, 20))
  })

  test('keeps integers beyond 2^53 exact, which other chains may write', async () => {
    const { source } = await serve({
      refuse: ([call]) =>
        call!.method === 'eth_getBlockByNumber'
          ? {
              body: `[{"id":${call!.id + 1},"result":[]},{"id":${call!.id},"result":{"number":"0x1","large":18446744073709551615}}]`,
            }
          : undefined,
    })
    expect((await source.window(1, 2))[0]!.block['large']).toBe(18446744073709551615n)
  })
})

/** What a server says that takes at most so many calls of a batch, or refuses for another reason. */
type Refuse = NonNullable<EvmNodeOptions['refuse']>

describe('a server that refuses', () => {
  const rpc = (code: number, message: string) => JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } })
  const longestWas = (node: { requested(): readonly (readonly unknown[])[] }, from: number) =>
    Math.max(
      ...node
        .requested()
        .slice(from)
        .map((calls) => calls.length),
    )

  test.each<[string, Reply]>([
    ['a gateway timeout', { status: 504, body: '<html><head><title>504 Gateway Time-out</title></head></html>' }],
    ['a gateway timeout in JSON', { status: 504, body: '{"message": "Endpoint request timed out"}' }],
    ['status 524', { status: 524, body: '<html>error code: 524</html>' }],
    ['status 408', { status: 408, body: 'Request Timeout' }],
    ['status 502', { status: 502, body: '<html>502 Bad Gateway</html>' }],
    ['status 403', { status: 403, body: 'no' }],
    ['an error object of JSON-RPC with status 400', { status: 400, body: rpc(-32600, 'too much at once') }],
    ['an error object of JSON-RPC with status 503', { status: 503, body: rpc(-32000, 'upstream') }],
    ['"limit exceeded"', { body: rpc(-32005, 'batch limit 10 exceeded') }],
    ['words that no list has', { body: rpc(-32999, 'das ist zu viel') }],
    ['an empty answer', { body: '' }],
    ['a reset connection', { fault: 'reset' }],
    ['a rate that no batch of this length can keep', { body: rpc(-32007, '15/second request limit reached') }],
  ])('more than ten calls with %s gets fewer calls', async (_, reply) => {
    const { node, source } = await serve({ refuse: ({ length }) => (length > 10 ? reply : undefined) })
    expect(await source.window(0, 20)).toEqual(expected(0, 20))
    const before = node.requested().length
    expect(await source.window(20, 40)).toEqual(expected(20, 40))
    expect(longestWas(node, before)).toBe(10)
  })

  test.each<[string, (ids: readonly number[], answers: any[]) => unknown]>([
    ['answers only the first calls of a batch', (_, answers) => answers.slice(0, 10)],
    [
      'has no time for the later calls of a batch',
      (ids, answers) =>
        answers.map((each, at) =>
          at < 10 ? each : { id: ids[at], error: { code: -32002, message: 'request timed out' } },
        ),
    ],
  ])('by halves: it %s', async (_, cut) => {
    const answer = ({ id, method, params }: Call) => {
      const { block, receipts } = granite[Number(params[0])]!
      return { jsonrpc: '2.0', id, result: method === 'eth_getBlockByNumber' ? block : receipts }
    }
    const refuse: Refuse = (calls) => {
      const answers = calls.map(answer)
      const ids = calls.map(({ id }) => id)
      return calls.length > 10 ? { body: JSON.stringify(cut(ids, answers)) } : undefined
    }
    const { node, source } = await serve({ refuse })
    expect(await source.window(0, 20)).toEqual(expected(0, 20))
    const before = node.requested().length
    expect(await source.window(20, 40)).toEqual(expected(20, 40))
    expect(longestWas(node, before)).toBeLessThanOrEqual(20)
  })

  test.each<[string, Reply]>([
    ['is overloaded', { status: 503, body: 'overloaded' }],
    ['is behind a gateway that fails', { status: 502, body: '<html>502 Bad Gateway</html>' }],
    ['resets connections', { fault: 'reset' }],
    ['has an internal error', { status: 500, body: rpc(-32603, 'internal error') }],
    ['refuses because of the rate', { body: rpc(-32007, '15/second request limit reached') }],
    ['refuses because of the rate, with a status', { status: 429, body: rpc(-32005, 'daily request count exceeded') }],
  ])('every request for a while gets as many calls as before: it %s', async (_, reply) => {
    let refused = 0
    const { node, source } = await serve({ refuse: () => (refused++ < 5 ? reply : undefined) })
    expect(await source.window(0, 20)).toEqual(expected(0, 20))
    const before = node.requested().length
    expect(await source.window(20, 60)).toEqual(expected(20, 60))
    // Half of them at least, where the server recovers just when a single call is requested.
    expect(longestWas(node, before)).toBeGreaterThanOrEqual(20)
  })

  /** Gateways that batch answer so with status 200. */
  test.each([
    [-32603, 'Internal error', false],
    [-32011, 'no backends available for method', true],
    [-32001, 'Concurrent requests limit exceeded', true],
  ])(
    'calls for a while (%i %s) is asked again, and the run stops if that does not pass',
    async (code, message, retryable) => {
      const failing = (count: number) => ({
        interfere: ({ method }: Call, _: Said, before: number) =>
          method === 'eth_getBlockByNumber' && before < count ? { error: { code, message } } : undefined,
      })
      const passing = await serve(failing(3))
      expect(await passing.source.window(0, 20)).toEqual(expected(0, 20))
      const never = await serve({ ...failing(Number.POSITIVE_INFINITY), tries: 3 })
      const error = await failure(never.source.window(3, 5))
      expect(error).toMatchObject({ retryable, exitCode: 3 })
      expect(error.message).toContain(message)
    },
  )

  test.each<[string, Reply]>([
    ['401', { status: 401, body: rpc(-32002, 'invalid project id') }],
    ['402', { status: 402, body: rpc(-32000, 'pay first') }],
  ])('credentials (%s) is not asked for less', async (status, reply) => {
    const { node, source } = await serve({ refuse: () => reply })
    expect(await failure(source.window(0, 20))).toMatchObject({ status: Number(status) })
    expect(node.requested()).toHaveLength(1)
  })

  test('single calls because of the rate is asked only for those again', async () => {
    const seen = new Map<string, number>()
    const { node, source } = await serve({
      interfere: ({ method, params }) => {
        const key = `${method} ${params[0]}`
        seen.set(key, (seen.get(key) ?? 0) + 1)
        const isRefused = method === 'eth_getBlockReceipts' && Number(params[0]) % 3 === 0 && seen.get(key) === 1
        return isRefused
          ? { error: { code: 429, message: 'Your app has exceeded its compute units per second capacity.' } }
          : undefined
      },
    })
    expect(await source.window(0, 20)).toEqual(expected(0, 20))
    expect(node.requested().map((calls) => calls.length)).toEqual([40, 7])
    const again = node.requested()[1]!.map(({ method, params }) => [method, Number(params[0])])
    expect(again).toEqual([0, 3, 6, 9, 12, 15, 18].map((number) => ['eth_getBlockReceipts', number]))
  })
})

describe('a null round', () => {
  /** The recorded chain without some numbers, as Filecoin has them: the next block names the last one before as its parent. */
  const without = (...numbers: number[]) =>
    granite.slice(0, 20).flatMap((each, number) => {
      if (numbers.includes(number)) return []
      let before = number - 1
      while (numbers.includes(before)) before--
      return [before < 0 ? each : { ...each, block: { ...each.block, parentHash: granite[before]!.block.hash } }]
    })
  const nullRound = { error: { code: 12, message: 'requested epoch was a null round (7)' } }

  test.each([
    ['null', undefined],
    ['an error', nullRound],
  ])('that the node answers with %s has no record, in any window', async (_, said) => {
    const { source, node } = await serve({
      chain: without(7, 11, 12, 13),
      interfere: (_, honest) => ('result' in honest && honest.result === null ? said : undefined),
    })
    const numbers = async (from: number, to: number) => (await source.window(from, to)).map(source.at)
    expect(await numbers(0, 20)).toEqual([0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 14, 15, 16, 17, 18, 19])
    expect(node.requested()).toHaveLength(1)
    expect(await numbers(7, 8)).toEqual([])
    expect(await numbers(8, 12)).toEqual([8, 9, 10])
    expect(await numbers(12, 15)).toEqual([14])
    expect(await source.times!(6, 9)).toEqual([expect.any(BigInt), 'unknown', expect.any(BigInt)])
  })

  test('is not inferred where the next block names another parent', async () => {
    const lost = granite.slice(0, 20).filter((_, number) => number !== 7)
    const { source, node } = await serve({ chain: lost, tries: 3 })
    expect(await failure(source.window(0, 20))).toMatchObject({ code: 'evm.missing-block' })
    expect(node.requested()).toHaveLength(3)
    expect(await source.times!(6, 9)).toEqual([expect.any(BigInt), 'missing', expect.any(BigInt)])
  })
})

describe('a node that is behind its head', () => {
  const lag = (tries: number, said: object | null, method = 'eth_getBlockByNumber') => ({
    interfere: (call: { method: string; params: readonly any[] }, _: unknown, count: number) =>
      call.method === method && call.params[0] === '0x7' && count < tries
        ? said !== null && 'error' in said
          ? (said as any)
          : { result: said }
        : undefined,
  })
  const isSingle = ({ method }: Call) => method === 'eth_getTransactionReceipt'
  const answers: [string, object | null, string][] = [
    ['null', null, 'eth_getBlockByNumber'],
    ['no receipts', null, 'eth_getBlockReceipts'],
    ['invalid block height', { error: { code: -32000, message: 'invalid block height' } }, 'eth_getBlockReceipts'],
    [
      'receipts not found',
      { error: { code: -32000, message: 'receipts for block 7 not found' } },
      'eth_getBlockReceipts',
    ],
    [
      'no results',
      { error: { code: -32603, message: 'could not find results for height #7' } },
      'eth_getBlockReceipts',
    ],
    ['another block', granite[6]!.block, 'eth_getBlockByNumber'],
    ['a block without number', { hash: '0x' }, 'eth_getBlockByNumber'],
    [
      'that it is not final',
      { error: { code: -32000, message: 'cannot query unfinalized data' } },
      'eth_getBlockByNumber',
    ],
  ]
  test.each(answers)(
    'that answers "%s" is retried, and is an error when no tries are left',
    async (_, said, method) => {
      const soon = await serve(lag(2, said, method))
      expect(await soon.source.window(0, 10)).toEqual(expected(0, 10))
      expect(soon.node.requested().flat().filter(isSingle)).toEqual([])
      const { interfere } = lag(99, said, method)
      const never = await serve({
        interfere: (call, honest, count) => (isSingle(call) ? { result: null } : interfere!(call, honest, count)),
        tries: 3,
      })
      const error = await failure(never.source.window(0, 10))
      if (error.code === 'evm.missing-block') {
        expect(error.message).toMatch(/does not return block 7, although its head is higher: \S/)
        expect(error.details).toEqual({ 'block number': 7 })
      } else expect(error).toBeInstanceOf(RpcError)
      // Without receipts of a block, the last try requests them one by one.
      expect(never.node.requested().filter((calls) => !calls.every(isSingle))).toHaveLength(3)
      expect(never.node.requested().filter((calls) => calls.every(isSingle))).toHaveLength(
        said === null && method === 'eth_getBlockReceipts' ? 1 : 0,
      )
    },
  )

  test('that returns receipts of another fork is retried, and is an error when no tries are left', async () => {
    const fork = (tries: number) => ({
      interfere: ({ method, params }: { method: string; params: readonly any[] }, honest: any, count: number) =>
        method === 'eth_getBlockReceipts' && params[0] === '0x7' && count < tries
          ? { result: honest.result.map((each: object) => ({ ...each, blockHash: `0x${'7'.repeat(64)}` })) }
          : undefined,
    })
    expect(await (await serve(fork(2))).source.window(0, 10)).toEqual(expected(0, 10))
    expect(await failure((await serve({ ...fork(99), tries: 3 })).source.window(0, 10))).toMatchObject({
      code: 'evm.other-block',
      exitCode: 3,
    })
  })

  test('is asked as often as the connection sends a request', async () => {
    const { node } = await serve()
    const again = await startEvmNode(granite, lag(99, null))
    cleanups.push(again.close)
    const source = createEvmBlocks(transportTo(again.url, { tries: 5 }), route, { waitMs: 1 })
    await failure(source.window(0, 10))
    expect(again.requested()).toHaveLength(5)
    expect(node.requested()).toHaveLength(0)
  })

  test('that does not return a transaction receipt is retried too', async () => {
    const hash = granite[7]!.block.transactions[0].hash
    const { source } = await serve({
      interfere: (call, _, count) =>
        without('eth_getBlockReceipts')(call) ?? (call.params[0] === hash && count < 2 ? { result: null } : undefined),
    })
    expect(await source.window(0, 10)).toEqual(expected(0, 10))
  })

  const many = granite.findIndex(({ block }) => block.transactions.length > 2)
  const [{ hash: gone }] = granite[many]!.block.transactions
  const forms: [string, EvmNodeOptions['interfere']][] = [
    ['by block', undefined],
    ['one by one', without('eth_getBlockReceipts')],
  ]
  test.each(forms)('without one receipt of a block is asked again, and then there is none: %s', async (_, form) => {
    const dropping = (times: number): EvmNodeOptions => ({
      interfere: (call, honest, count) => {
        const said = form?.(call, honest, count)
        if (said !== undefined || count >= times || !('result' in honest)) return said
        if (call.params[0] === gone) return { result: null }
        if (call.method !== 'eth_getBlockReceipts') return undefined
        const receipts = honest.result as { transactionHash: string }[]
        return { result: receipts.filter(({ transactionHash }) => transactionHash !== gone) }
      },
    })
    const soon = await serve(dropping(2))
    expect(await soon.source.window(many, many + 1)).toEqual(expected(many, many + 1))
    // The header of this chain shows that the transaction used gas.
    const certain = await serve(dropping(99))
    expect(await failure(certain.source.window(many, many + 1))).toMatchObject({ code: 'evm.own-header' })
    const other = granite.map((each) => ({ ...each, block: { ...each.block, nonce: '0x1' } }))
    const never = await serve({ ...dropping(99), chain: other, tries: 3 })
    const [block] = await never.source.window(many, many + 1)
    expect(block!.receipts).toEqual(granite[many]!.receipts.slice(1))
    const asked = never.node.requested().flat()
    expect(asked.filter(({ params }) => params[0] === gone)).toHaveLength(3)
    // A refusal does not say that there is none.
    const refusing = await serve({
      chain: other,
      tries: 2,
      interfere: (call, honest, count) =>
        call.params[0] === gone
          ? { error: { code: -32000, message: 'trie database is closed' } }
          : dropping(99).interfere?.(call, honest, count),
    })
    expect(await failure(refusing.source.window(many, many + 1))).toMatchObject({
      message: expect.stringContaining('trie database is closed'),
    })
    // A node that is asked once may lag behind.
    const once = await serve({ ...dropping(99), chain: other, tries: 1 })
    expect(await failure(once.source.window(many, many + 1))).toMatchObject({ code: 'evm.missing-block', exitCode: 3 })
  })

  test('is asked again for a receipt that names another block; if that stays, the block has no receipt of the transaction', async () => {
    const other = granite.map((each) => ({ ...each, block: { ...each.block, nonce: '0x1' } }))
    const elsewhere = (times: number, place: object): EvmNodeOptions => ({
      interfere: (call, honest, count) => {
        if (!('result' in honest) || count >= times) return undefined
        if (call.params[0] === gone) return { result: { ...(honest.result as object), ...place } }
        if (call.method !== 'eth_getBlockReceipts') return undefined
        return { result: (honest.result as any[]).filter(({ transactionHash }) => transactionHash !== gone) }
      },
    })
    const later = { blockNumber: '0x99', blockHash: `0x${'9'.repeat(64)}` }
    const soon = await serve({ ...elsewhere(2, later), chain: other })
    expect((await soon.source.window(many, many + 1))[0]!.receipts).toEqual(granite[many]!.receipts)
    const never = await serve({ ...elsewhere(99, later), chain: other, tries: 3 })
    expect((await never.source.window(many, many + 1))[0]!.receipts).toEqual(granite[many]!.receipts.slice(1))
    const asked = never.node.requested().flat()
    expect(asked.filter(({ params }) => params[0] === gone)).toHaveLength(3)
    // A block that used gas has a receipt.
    const all = await serve({
      chain: other,
      tries: 3,
      interfere: (call, honest) => {
        if (call.method === 'eth_getBlockReceipts') return { result: null }
        if (call.method !== 'eth_getTransactionReceipt') return undefined
        return { result: { ...(honest as { result: object }).result, ...later } }
      },
    })
    expect(await failure(all.source.window(many, many + 1))).toMatchObject({ exitCode: 3 })
    // A fork has the same number, and a header that proves the transaction proves its receipt.
    const fork = { blockHash: later.blockHash }
    for (const options of [{ ...elsewhere(99, fork), chain: other }, elsewhere(99, later)])
      expect(await failure((await serve({ ...options, tries: 3 })).source.window(many, many + 1))).toMatchObject({
        code: 'evm.other-block',
      })
  })

  test('is not retried after a permanent error', async () => {
    const { source, node } = await serve({
      interfere: ({ params }) =>
        params[0] === '0x7' ? { error: { code: 4444, message: 'pruned history unavailable' } } : undefined,
    })
    expect(await failure(source.window(0, 10))).toMatchObject({
      rpcCode: 4444,
      message: 'Block 7: eth_getBlockByNumber failed: pruned history unavailable',
      details: { 'block number': 7, 'error code': 4444 },
    })
    // The block alone is refused likewise.
    expect(node.requested().map((calls) => calls.length)).toEqual([20, 1])
  })
})

describe('a node that contradicts the header of a block', () => {
  const at = granite.findIndex(({ receipts }) => receipts.some(({ logs }) => logs.length > 0))
  const { block, receipts } = granite[at]!
  const lie = (said: object, times: number): EvmNodeOptions => ({
    interfere: ({ method, params }, _, count) =>
      method === 'eth_getBlockReceipts' && params[0] === `0x${at.toString(16)}` && count < times
        ? { result: said }
        : undefined,
  })
  const noLogs = receipts.map((receipt) => ({ ...receipt, logs: [] }))

  test('is asked again, and then refused', async () => {
    const soon = await serve(lie(noLogs, 2))
    expect(await soon.source.window(at, at + 2)).toEqual(expected(at, at + 2))
    const never = await serve({ ...lie(noLogs, 99), tries: 3 })
    expect(await failure(never.source.window(at, at + 2))).toMatchObject({
      code: 'evm.own-header',
      exitCode: 4,
      message: `The node contradicts itself about block ${at}: a receipt has no logs, but a Bloom filter with bits.`,
      details: { 'block number': at, 'block hash': block.hash },
    })
    expect(never.node.requested()).toHaveLength(3)
  })

  test('is refused for an empty list of transactions', async () => {
    const empty = { ...block, transactions: [] }
    const { source } = await serve({
      interfere: (call) => {
        if (call.params[0] !== `0x${at.toString(16)}`) return undefined
        return { result: call.method === 'eth_getBlockByNumber' ? empty : [] }
      },
    })
    expect(await failure(source.window(at, at + 1))).toMatchObject({
      code: 'evm.own-header',
      message: expect.stringMatching(/it lists no transactions, but transactionsRoot is not the root of an empty list/),
    })
  })

  test('is refused for a receipt of a transaction that the block leaves out', async () => {
    const leaving = (times: number): EvmNodeOptions => ({
      interfere: ({ method, params }, _, count) =>
        method === 'eth_getBlockByNumber' && params[0] === `0x${at.toString(16)}` && count < times
          ? { result: { ...block, transactions: block.transactions.slice(0, -1) } }
          : undefined,
    })
    const soon = await serve(leaving(2))
    expect(await soon.source.window(at, at + 2)).toEqual(expected(at, at + 2))
    const never = await serve({ ...leaving(99), tries: 3 })
    expect(await failure(never.source.window(at, at + 2))).toMatchObject({
      code: 'evm.other-block',
      exitCode: 3,
      message: `Block ${at} has a receipt of a transaction that it does not list.`,
      details: { transaction: block.transactions.at(-1).hash },
    })
  })

  test.each([
    ['puts transactions in the order of their indices where it proves nothing', { nonce: '0x0000000000000009' }, true],
    ['keeps another order where it proves that it is wrong, for the reader to refuse', {}, false],
  ])('%s', async (_, changes, isOrdered) => {
    const at = granite.findIndex(({ block }) => block.transactions.length > 2)
    const { block } = granite[at]!
    const turned = { ...block, ...changes, transactions: block.transactions.toReversed() }
    const { source } = await serve({
      interfere: ({ method, params }) =>
        method === 'eth_getBlockByNumber' && params[0] === `0x${at.toString(16)}` ? { result: turned } : undefined,
    })
    const [record] = await source.window(at, at + 1)
    expect(record!.block['transactions']).toEqual(isOrdered ? block.transactions : turned.transactions)
    const reading = () => readEvmBlock(record!, { network: 'local', chainId: '43112' }).transactions.length
    if (isOrdered) expect(reading()).toBe(block.transactions.length)
    else expect(reading).toThrow(/transactionIndex is \d+ and not 0/)
  })

  test('is believed where the hash of the block does not derive from its header', async () => {
    const hash = `0x${'12'.repeat(32)}`
    const renamed = (answer: object) => JSON.parse(JSON.stringify(answer).replaceAll(block.hash, hash))
    const other = { ...block, gasUsed: block.gasLimit, hash }
    const { source } = await serve({
      interfere: ({ method, params }) =>
        params[0] === `0x${at.toString(16)}`
          ? { result: renamed(method === 'eth_getBlockByNumber' ? other : receipts) }
          : undefined,
    })
    const [record] = await source.window(at, at + 1)
    expect(record).toEqual({
      ...renamed(expected(at, at + 1)[0]!),
      block: renamed(other),
      remarks: ['gasUsed is not the sum of the gas of its receipts'],
    })
  })
})

describe('the head', () => {
  const tags = (finalized: object | null | undefined, latest: object | null = granite.at(-1)!.block) => ({
    interfere: ({ params }: { params: readonly any[] }) => {
      if (params[0] === 'latest') return { result: latest }
      if (params[0] !== 'finalized') return undefined
      return finalized === undefined ? { error: { code: -32602, message: 'invalid tag' } } : { result: finalized }
    },
  })

  const at = (number: number, seconds: number) => ({
    number: `0x${number.toString(16)}`,
    timestamp: `0x${seconds.toString(16)}`,
  })
  const now = Math.floor(Date.now() / 1000)

  test('is as the node says once it no longer fails, and below the newest block if it always fails for the tag', async () => {
    for (const [times, head] of [
      [2, 200],
      [Number.POSITIVE_INFINITY, 234 - 64],
    ] as const) {
      const { source } = await serve({
        interfere: ({ method, params }, _, count) => {
          if (method !== 'eth_getBlockByNumber' || params[0] !== 'finalized') return undefined
          return count < times
            ? { error: { code: -32603, message: 'Internal error' } }
            : { result: granite[200]!.block }
        },
      })
      expect(await source.head()).toBe(head)
    }
  })

  test('follows from the finality of the job where the node answers the tag in no known way', async () => {
    for (const [code, said] of [
      ['decode.field', { result: { number: null } }],
      ['transport.http', { error: { code: -32603, message: 'server is busy' } }],
    ] as const) {
      const options: EvmNodeOptions = {
        interfere: ({ params }) => (params[0] === 'finalized' ? said : undefined),
        refuse: (calls) =>
          'error' in said && calls[0]!.params[0] === 'finalized' ? { status: 500, body: 'no' } : undefined,
      }
      expect(await failure((await serve(options)).source.head())).toMatchObject({ code })
      expect(await (await serve({ ...options, finality: 4 })).source.head()).toBe(234 - 4)
    }
  })

  test('is the block that the node reports as finalized', async () => {
    const { source, node } = await serve(tags(at(200, now)))
    expect(await source.head()).toBe(200)
    expect(source.remark!()).toBeNull()
    expect(node.requested()).toHaveLength(1)
  })

  test.each([
    ['refuses the tag', undefined],
    ['has none yet', null],
  ])('of a node that %s is some blocks below the newest block', async (_, finalized) => {
    expect(await (await serve(tags(finalized))).source.head()).toBe(234 - 64)
    expect(await (await serve({ ...tags(finalized), finality: 0 })).source.head()).toBe(234)
    expect(await (await serve({ ...tags(finalized), finality: 235 })).source.head()).toBeNull()
    expect(await (await serve({ ...tags(finalized, null) })).source.head()).toBeNull()
  })

  test.each([
    ['is the first one', at(0, now - 400), at(199, now), '199 blocks below its newest one'],
    ['is older than a day', at(5, now - 200_000), at(30, now), '25 blocks and 2 days below its newest one'],
  ])(
    'that %s stands still: the source says so, and takes the finality of the job',
    async (_, finalized, latest, says) => {
      const as = await serve(tags(finalized, latest))
      expect(await as.source.head()).toBe(Number(finalized.number))
      expect(as.source.remark!()).toContain(says)
      expect(as.source.remark!()).toContain('--finality N')
      const given = await serve({ ...tags(finalized, latest), finality: 10 })
      expect(await given.source.head()).toBe(Number(latest.number) - 10)
      expect(given.source.remark!()).toContain(says)
    },
  )

  test('that is old like the newest block does not stand still', async () => {
    const { source } = await serve(tags(at(100, 1_700_000_000), at(110, 1_700_000_020)))
    expect(await source.head()).toBe(100)
    expect(source.remark!()).toBeNull()
  })

  test('is as far below the newest block as the job says, also where the node reports another final one', async () => {
    const less = await serve({ ...tags(at(200, now), at(234, now)), finality: 50 })
    expect(await less.source.head()).toBe(184)
    expect(less.source.remark!()).toBeNull()
    const more = await serve({ ...tags(at(200, now), at(234, now)), finality: 10 })
    expect(await more.source.head()).toBe(224)
    expect(more.source.remark!()).toContain('Later blocks may still change')
  })

  test.each([[{}], [{ number: 'x' }], [{ number: `0x1${'0'.repeat(14)}` }], ['0x5']])(
    'is refused when it is no block with a number: %j',
    async (block) => {
      expect(await failure((await serve(tags(block as object))).source.head())).toMatchObject({ code: 'decode.field' })
    },
  )
})

describe('the identity of an EVM chain', () => {
  test('is its chain id and the hash of its first block', async () => {
    const { transport } = await serve()
    expect(await identifyEvmChain(transport, route)).toEqual({
      chainId: 43_112n,
      genesisHash: granite[0]!.block.hash,
    })
    expect([43_114n, 43_113n, 43_112n, 2n ** 64n].map(evmNetworkName)).toEqual([
      'mainnet',
      'fuji',
      'local',
      'evm-18446744073709551616',
    ])
  })

  test.each([
    ['null', { result: null }],
    ['an error', { error: { code: -32000, message: 'height 0 is not available, lowest height is 20' } }],
    ['another error', { error: { code: 4444, message: 'pruned history unavailable' } }],
  ])('is its chain id alone where the answer for the first block is %s', async (_, said) => {
    const { transport } = await serve({
      interfere: ({ method }) => (method === 'eth_getBlockByNumber' ? said : undefined),
    })
    expect(await identifyEvmChain(transport, route)).toEqual({ chainId: 43_112n, genesisHash: null })
  })

  test.each([
    ['eth_chainId', { result: 43_112 }, 'decode.field'],
    ['eth_getBlockByNumber', { result: { number: '0x0' } }, 'decode.field'],
  ])('is refused when the answer to %s is wrong', async (method, said, code) => {
    const { transport } = await serve({ interfere: (call) => (call.method === method ? said : undefined) })
    expect(await failure(identifyEvmChain(transport, route))).toMatchObject({ code })
  })
})

describe.each([
  ['granite', 0, 234],
  ['helicon', 4, 118],
] as const)('the recorded node %s, a fault every %i requests', (recording, every, final) => {
  test('returns every block with its receipts, and the reader decodes them', async () => {
    const faults = every === 0 ? {} : { faults: { kinds: transientFaults, every } }
    const node = await startDevnet({ replay: recordingFolder(recording), slowMs: 50, ...faults })
    cleanups.push(node.close)
    const source = createEvmBlocks(transportTo(node.url), route, { waitMs: 2 })
    const answers = recordedAnswers(recording)
    expect(await source.head()).toBe(final)
    const blocks = await source.window(0, answers.length)
    expect(blocks.map(({ block, receipts }) => ({ block, receipts }))).toEqual(answers)
    const rows = blocks.map((block) => readEvmBlock(block, { network: 'local', chainId: '43112' }))
    const sum = (values: readonly (bigint | number | null)[]) => values.reduce<bigint>((a, b) => a + BigInt(b ?? 0), 0n)
    const hexSum = (values: readonly string[]) => sum(values.map(BigInt))
    const transactions = rows.flatMap((each) => each.transactions)
    const sent = answers.flatMap(({ block }) => block.transactions)
    const receipts = answers.flatMap((each) => each.receipts)
    expect(transactions).toHaveLength(sent.length)
    expect(sum(transactions.map(({ value }) => value))).toBe(hexSum(sent.map(({ value }) => value)))
    expect(sum(transactions.map(({ gas_used }) => gas_used))).toBe(hexSum(receipts.map(({ gasUsed }) => gasUsed)))
    expect(rows.flatMap((each) => each.logs)).toHaveLength(receipts.flatMap(({ logs }) => logs).length)
    for (const [at, block] of blocks.entries())
      if (at > 0) expect(source.link!(block).parentId).toBe(source.link!(blocks[at - 1]!).id)
  })
})
