import { afterEach, describe, expect, test } from 'vitest'
import { emptyRoot } from '../../../codec/evm/block-parts.ts'
import { RpcError } from '../../../src/errors.ts'
import { createTransport, type TransportOptions } from '../../../src/fetch/transport.ts'
import { createEvmTraces } from '../../../src/sources/evm-traces.ts'
import { tracedAnswers } from '../../decode/evm/trace-facts.ts'
import { quick } from '../../fetch/local-server.ts'
import { type Call, type EvmNodeOptions, type Said, startEvmNode, without } from '../evm-node.ts'

type EvmTracesOptions = Parameters<typeof createEvmTraces>[2]

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const chain = tracedAnswers()
const callTracer = { tracer: 'callTracer' }

type Serve = EvmNodeOptions & Partial<EvmTracesOptions> & { readonly transport?: Partial<TransportOptions> }

async function serve({ interfere, refuse, transport = {}, ...options }: Serve = {}) {
  const node = await startEvmNode(chain, {
    ...(interfere === undefined ? {} : { interfere }),
    ...(refuse === undefined ? {} : { refuse }),
  })
  cleanups.push(node.close)
  const connection = createTransport({ baseUrl: node.url, ...quick, ...transport })
  cleanups.push(connection.close)
  return {
    node,
    source: createEvmTraces(connection, '/ext/bc/C/rpc', { tracers: [callTracer], waitMs: 2, ...options }),
  }
}

function expected(from: number, to: number) {
  return chain.slice(from, to).map(({ block, traces }) => ({
    number: Number(block.number),
    block: { ...block, transactions: block.transactions.map(({ hash }: any) => hash) },
    transactionHashes: block.transactions.map(({ hash }: any) => hash),
    traces: [traces.map(({ result }) => result)],
  }))
}

async function failure(promise: Promise<unknown>) {
  return await promise.then(
    () => expect.fail('the request succeeded'),
    (error: RpcError) => error,
  )
}

const refusing = (message: string, code = -32000): Said => ({ error: { code, message } })
const ofBlock = (number: number, said: Said) => (call: Call) =>
  call.method === 'debug_traceBlockByNumber' && Number(call.params[0]) === number ? said : undefined

describe('a window of traces', () => {
  test('has each block with its header and traces from one batch, and does not trace block 0', async () => {
    const { node, source } = await serve()
    expect(await source.window(0, 4)).toEqual(expected(0, 4))
    expect(node.requested()).toHaveLength(1)
    expect(node.requested()[0]!.map(({ method, params }) => [method, ...params])).toEqual([
      ['eth_getBlockByNumber', '0x0', false],
      ...[1, 2, 3].flatMap((number) => [
        ['eth_getBlockByNumber', `0x${number}`, false],
        ['debug_traceBlockByNumber', `0x${number}`, callTracer],
      ]),
    ])
    expect((await source.window(4, 165)).length).toBe(161)
  })

  /** A block with a header in no known shape. */
  const unproven = ({ method }: Call, honest: Said): Said | undefined =>
    method === 'eth_getBlockByNumber' && 'result' in honest
      ? { result: { ...(honest.result as object), nonce: '0x0000000000000009' } }
      : undefined

  test('judges an untraced transaction of a block that it has whole without requesting that again', async () => {
    const { block, traces } = chain[18]!
    const { node, source } = await serve({
      interfere: (call, honest) =>
        call.method === 'eth_getTransactionReceipt'
          ? { result: { ...(honest as any).result, gasUsed: '0x0' } }
          : (ofBlock(18, { result: traces.slice(1) })(call) ?? unproven(call, honest)),
    })
    const [record] = await source.window(18, 19)
    expect(record!.traces[0]).toEqual([null, ...traces.slice(1).map(({ result }) => result)])
    const asked = node.requested().flatMap((calls) => calls.filter(({ method }) => method === 'eth_getBlockByNumber'))
    expect(asked.map(({ params }) => params)).toEqual([false, true, false].map((whole) => [block.number, whole]))
  })

  const [system, ...others] = chain[18]!.traces
  const failing = (message: string) => [{ txHash: system!.txHash, error: { code: -32000, message } }, ...others]
  test.each([
    ['that another block executed', 'nonce too low', {}, { blockNumber: '0x99' }],
    // Erigon has an error object in the place of a message.
    ['of a type that the node does not trace', 'transaction type not supported', { type: '0x7f' }, {}],
  ])('has no trace of a transaction %s', async (_, message, changes, receipt) => {
    const { node, source } = await serve({
      interfere: (call, honest) => {
        const { result } = honest as { result: any }
        if (call.method === 'eth_getTransactionReceipt') return { result: { ...result, ...receipt } }
        if (call.method !== 'eth_getBlockByNumber') return ofBlock(18, { result: failing(message) })(call)
        if (typeof result.transactions[0] === 'string') return unproven(call, honest)
        const [first, ...rest] = result.transactions
        return { result: { ...result, nonce: '0x1', transactions: [{ ...first, ...changes }, ...rest] } }
      },
    })
    const [record] = await source.window(18, 19)
    expect(record!.traces[0]).toEqual([null, ...others.map(({ result }) => result)])
    expect(
      node
        .requested()
        .flat()
        .map(({ method }) => method),
    ).not.toContain('debug_traceTransaction')
  })

  test('has no trace by its hash of a transaction that another block executed, or the same block at another place', async () => {
    const { block, traces } = chain[18]!
    const [first] = block.transactions
    const again = { ...first, transactionIndex: '0x63' }
    const { source } = await serve({
      interfere: (call, honest) => {
        const { result } = honest as { result: any }
        if (call.method === 'eth_getTransactionReceipt' && call.params[0] === traces[1]!.txHash)
          return { result: { ...result, blockNumber: '0x99' } }
        if (call.method === 'eth_getBlockByNumber' && typeof result.transactions[0] !== 'string')
          return { result: { ...result, nonce: '0x1', transactions: [...result.transactions, again] } }
        if (call.method === 'eth_getBlockByNumber') return unproven(call, honest)
        // Nodes of Ethermint do not say which transaction a trace belongs to.
        return ofBlock(18, { result: [...traces, traces[0]!].map((each) => ({ result: each.result })) })(call)
      },
    })
    const [record] = await source.window(18, 19)
    const [one, , ...more] = traces.map(({ result }) => result)
    expect(record!.traces[0]).toEqual([one, null, ...more, null])
  })

  test('is requested again if only one answer says that another block executed a transaction', async () => {
    const { traces } = chain[18]!
    let receipts = 0
    const { source } = await serve({
      interfere: (call, honest) => {
        const { result } = honest as { result: any }
        if (call.method === 'eth_getTransactionReceipt' && ++receipts <= traces.length)
          return { result: { ...result, blockNumber: '0x99' } }
        if (call.method === 'eth_getBlockByNumber' && typeof result.transactions[0] !== 'string')
          return { result: { ...result, nonce: '0x1' } }
        if (call.method === 'eth_getBlockByNumber') return unproven(call, honest)
        return ofBlock(18, { result: traces.map(({ result: traced }) => ({ result: traced })) })(call)
      },
    })
    expect((await source.window(18, 19))[0]!.traces[0]).toEqual(traces.map(({ result }) => result))
  })

  test.each([
    ['no receipt', () => null],
    ['a receipt without gas', (receipt: object) => ({ ...receipt, gasUsed: '0x0' })],
  ])('has no transaction without a trace where the block proves that it was executed: with %s', async (_, change) => {
    const { source } = await serve({
      interfere: (call, honest) =>
        call.method === 'eth_getTransactionReceipt'
          ? { result: change((honest as { result: object }).result) }
          : call.method === 'debug_traceTransaction'
            ? { result: null }
            : ofBlock(18, { result: chain[18]!.traces.map((each) => ({ ...each, result: null })) })(call),
    })
    expect(await failure(source.window(18, 19))).toMatchObject({
      answer: 'it returns no trace',
      details: { 'transaction hash': chain[18]!.traces[0]!.txHash },
    })
  })

  test('has whole transactions where the header of a block proves nothing, which are requested twice only once', async () => {
    const { node, source } = await serve({ interfere: unproven })
    const blocks = [...(await source.window(16, 18)), ...(await source.window(18, 20))]
    expect(blocks.map(({ block }) => block['transactions'])).toEqual(
      chain.slice(16, 20).map(({ block }) => block.transactions),
    )
    const asked = node.requested().flatMap((calls) => calls.filter(({ method }) => method === 'eth_getBlockByNumber'))
    expect(asked.map(({ params }) => params)).toEqual([
      ...[16, 17].map((number) => [`0x${number.toString(16)}`, false]),
      ...[16, 17, 18, 19].map((number) => [`0x${number.toString(16)}`, true]),
    ])
  })

  test('has no traces of a block where the node writes an empty list of transactions as null', async () => {
    const { source } = await serve({
      interfere: (call, honest) =>
        call.method === 'eth_getBlockByNumber'
          ? { result: { ...(honest as any).result, transactions: null, transactionsRoot: emptyRoot } }
          : ofBlock(18, { result: null })(call),
    })
    expect(await source.window(18, 19)).toMatchObject([{ number: 18, transactionHashes: [], traces: [[]] }])
  })

  test('links its blocks by hash, and those of a step have no links', async () => {
    const { source } = await serve()
    const [genesis, first] = await source.window(0, 2)
    expect(source.link!(genesis!)).toEqual({ id: chain[0]!.block.hash, parentId: null })
    expect(source.link!(first!)).toEqual({ id: chain[1]!.block.hash, parentId: chain[0]!.block.hash })
    const stepped = (await serve({ step: 50 })).source
    expect((await stepped.window(1, 165)).map(stepped.at)).toEqual([50, 100, 150])
    expect(stepped.link).toBeUndefined()
    expect(await source.head()).toBe(164)
  })

  test('has the results of each of several tracers', async () => {
    const other = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }
    const { source } = await serve({
      tracers: [callTracer, other],
      interfere: ({ method, params }, honest) =>
        method === 'debug_traceBlockByNumber' && params[1].tracer !== 'callTracer'
          ? { result: (honest as any).result.map(({ txHash }: any) => ({ txHash, result: { post: {}, pre: {} } })) }
          : undefined,
    })
    const [block] = await source.window(18, 19)
    const count = chain[18]!.traces.length
    expect(block!.traces).toEqual([expected(18, 19)[0]!.traces[0], Array(count).fill({ post: {}, pre: {} })])
  })

  test('is cut into single blocks, then transactions, while the node has too little time', async () => {
    const slow = refusing('execution timeout')
    const { node, source } = await serve({ interfere: ofBlock(18, slow) })
    expect(await source.window(16, 20)).toEqual(expected(16, 20))
    const single = node
      .requested()
      .flatMap((calls) => calls.filter(({ method }) => method === 'debug_traceTransaction'))
    expect(single.map(({ params }) => params)).toEqual(chain[18]!.traces.map(({ txHash }) => [txHash, callTracer]))
    expect(source.windowSize()).toBe(1)
  })

  test('is cut while an answer is too large', async () => {
    const large = chain.find(({ traces }) => traces.length > 3)!
    const number = Number(large.block.number)
    const { node, source } = await serve({
      refuse: (calls) =>
        calls.length > 2 || calls.some(({ method }) => method === 'debug_traceBlockByNumber')
          ? { status: 413, body: 'too much' }
          : undefined,
    })
    expect(await source.window(number, number + 2)).toEqual(expected(number, number + 2))
    const lengths = node.requested().filter((calls) => calls[0]!.method === 'debug_traceTransaction')
    expect(Math.max(...lengths.map((calls) => calls.length))).toBeGreaterThan(2)
  })

  test.each([
    ['a gateway timeout', { status: 504, body: '<html>504</html>' }],
    ['words of its own', { body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"zu viel"}}' }],
  ])('is cut after %s', async (_, reply) => {
    const { source } = await serve({
      refuse: (calls) => (calls.filter(({ method }) => method.startsWith('debug_')).length > 2 ? reply : undefined),
    })
    expect(await source.window(16, 24)).toEqual(expected(16, 24))
    expect(source.windowSize()).toBe(2)
  })

  test('is requested as often as any other when the node fails for another reason than time', async () => {
    let failures = 0
    const { source } = await serve({ refuse: () => (failures++ < 5 ? { status: 503, body: 'not yet' } : undefined) })
    expect(await source.window(16, 20)).toEqual(expected(16, 20))
    expect(source.windowSize()).toBeGreaterThanOrEqual(4)
  })

  test('asks for each transaction when the node does not say which transaction a trace belongs to', async () => {
    const { source } = await serve({
      interfere: ({ method }, honest) =>
        method === 'debug_traceBlockByNumber' && 'result' in honest && Array.isArray(honest.result)
          ? { result: honest.result.map(({ result }) => ({ result })) }
          : undefined,
    })
    expect(await source.window(17, 20)).toEqual(expected(17, 20))
  })
})

describe('traces that are not those of the block', () => {
  const [first, ...rest] = chain[18]!.traces
  const other = { ...first!, txHash: chain[17]!.traces[0]!.txHash }
  const others: [string, unknown, string, number][] = [
    // Whether the chain leaves out the transaction follows from its receipt.
    ['fewer transactions', rest, 'the node traced ', 6],
    ['another transaction', [other, ...rest], 'the node traced transaction 0x', 3],
  ]
  test.each(others)('(%s) are requested again, and refused if they stay', async (_, result, message, requests) => {
    const soon = await serve({
      interfere: (call, _, count) => (count < 2 ? ofBlock(18, { result })(call) : undefined),
    })
    expect(await soon.source.window(18, 19)).toEqual(expected(18, 19))
    const never = await serve({ interfere: ofBlock(18, { result }), tries: 3 })
    const error = await failure(never.source.window(18, 19))
    expect(error).toMatchObject({ code: 'evm.other-block', details: { 'block number': 18 } })
    expect(error.message).toContain(message)
    expect(never.node.requested()).toHaveLength(requests)
  })

  test('of a block that lists none of its transactions are requested again, and refused if they stay', async () => {
    const emptied = (tries: number) => (call: Call, honest: Said, count: number) => {
      if (Number(call.params[0]) !== 18 || count >= tries || !('result' in honest)) return undefined
      if (call.method === 'debug_traceBlockByNumber') return { result: [] }
      return { result: { ...(honest.result as object), transactions: [] } }
    }
    const soon = await serve({ interfere: emptied(1) })
    expect(await soon.source.window(18, 19)).toEqual(expected(18, 19))
    const never = await serve({ interfere: emptied(99), tries: 3 })
    const error = await failure(never.source.window(18, 19))
    expect(error).toMatchObject({ code: 'evm.missing-block', details: { 'block number': 18 } })
    expect(error.message).toContain('it lists none of its transactions')
  })

  test('only by their order are put in order', async () => {
    const { source } = await serve({ interfere: ofBlock(18, { result: [...chain[18]!.traces].reverse() }) })
    expect(await source.window(18, 19)).toEqual(expected(18, 19))
  })

  test('because the answer is no list are refused', async () => {
    const { source } = await serve({ interfere: ofBlock(18, { result: 'no' }) })
    expect(await failure(source.window(18, 19))).toMatchObject({ code: 'evm.traces', retryable: false })
  })
})

describe('a node that does not trace', () => {
  test('a transaction fails the window: an unknown tracer gives an error per transaction', async () => {
    const why = 'ReferenceError: noSuchTracer is not defined at <eval>:1:2(0)'
    const traces = chain[18]!.traces.map((each, at) => (at === 1 ? { txHash: each.txHash, error: why } : each))
    const { source } = await serve({
      interfere: (call) =>
        call.method === 'debug_traceTransaction' && call.params[0] === traces[1]!.txHash
          ? refusing(why)
          : ofBlock(18, { result: traces })(call),
    })
    const error = await failure(source.window(16, 20))
    expect(error).toBeInstanceOf(RpcError)
    expect(error.message).toBe(`Block 18: debug_traceTransaction failed: ${why}`)
    expect(error.details).toMatchObject({ 'block number': 18, 'transaction hash': traces[1]!.txHash })
  })

  /** The first transaction of block 18 as a deposit of the OP stack, which uses gas. */
  const deposit = ({ method, params }: Call, honest: Said): Said | undefined => {
    if (method !== 'eth_getBlockByNumber' || params[0] !== chain[18]!.block.number || !params[1]) return undefined
    const [first, ...rest] = chain[18]!.block.transactions as readonly any[]
    return { result: { ...(honest as any).result, transactions: [{ ...first, type: '0x7e' }, ...rest] } }
  }

  test.each([
    ['execution timeout', true],
    ['tracing failed: out of memory', true],
    ['tracer not found', true],
    ['transaction not found', false],
    ['transaction type not supported', false],
  ])(
    'a transaction of the chain itself (%s): a failed tracer is an error, and what is not traced is null',
    async (why, isFailure) => {
      const [first, ...rest] = chain[18]!.traces
      const { source } = await serve({
        tries: 1,
        interfere: (call, honest) =>
          call.method === 'debug_traceTransaction' && call.params[0] === first!.txHash
            ? refusing(why)
            : (ofBlock(18, { result: [{ txHash: first!.txHash, error: why }, ...rest] })(call) ??
              deposit(call, honest)),
      })
      if (isFailure) return expect((await failure(source.window(18, 19))).message).toContain(why)
      const [record] = await source.window(18, 19)
      expect(record!.traces[0]).toEqual([null, ...rest.map(({ result }) => result)])
    },
  )

  test('and has no debug API is an error that says so', async () => {
    const { source } = await serve({
      interfere: (call) => without('debug_traceBlockByNumber')(call) ?? without('debug_traceTransaction')(call),
    })
    const error = await failure(source.window(1, 5))
    expect(error).toMatchObject({ rpcCode: -32601, details: { 'block number': 1 } })
    expect(error.hint).toContain('debug API')
  })

  test('blocks at once is asked for each transaction', async () => {
    const { source } = await serve({ interfere: without('debug_traceBlockByNumber') })
    expect(await source.window(1, 20)).toEqual(expected(1, 20))
  })

  const missing = [
    'required historical state unavailable (reexec=0)',
    'missing trie node 1b37f203 (path ) state 0x1b37f203 is not available, not found',
  ]
  test.each(missing)('old blocks (%s) is an error with the next block that it can trace', async (message) => {
    const pruned = ({ method, params }: Call): Said | undefined => {
      const [first, second] = params
      if (method === 'debug_traceBlockByNumber' && Number(first) < 101) return refusing(message)
      if (method !== 'eth_getBalance') return undefined
      return Number(second) < 100 ? refusing(missing[1]!) : { result: '0x0' }
    }
    const { node, source } = await serve({ interfere: pruned })
    const error = await failure(source.window(5, 9))
    expect(error.message).toBe(`Block 5: debug_traceBlockByNumber failed: ${message}`)
    expect(error.hint).toContain('pruning-enabled: false')
    expect(error.hint).toContain('begin with block 101,')
    expect(node.requested().length).toBeLessThan(12)
    expect(await source.window(101, 103)).toEqual(expected(101, 103))
  })

  test('any block is an error without such a block', async () => {
    const { source } = await serve({
      interfere: ({ method }) =>
        ['debug_traceBlockByNumber', 'eth_getBalance'].includes(method) ? refusing(missing[0]!) : undefined,
    })
    const { hint } = await failure(source.window(5, 9))
    expect(hint).toContain('archive node')
    expect(hint).not.toContain('begin with')
    const other = await serve({
      interfere: ofBlock(5, refusing(missing[0]!)),
      refuse: ([call]) => (call!.method === 'eth_getBalance' ? { status: 403, body: 'no' } : undefined),
    })
    expect((await failure(other.source.window(5, 9))).message).toContain(missing[0])
  })

  test('a transaction in time is an error that names the block and what helps', async () => {
    const isTrace = (method: string) => method.startsWith('debug_')
    const said = await serve({
      interfere: ({ method }) => (isTrace(method) ? refusing('execution timeout') : undefined),
    })
    const refused = await failure(said.source.window(18, 20))
    expect(refused.message).toBe('Block 18: debug_traceTransaction failed: execution timeout')
    expect(refused.hint).toContain('tracer-timeout')
    const silent = await serve({
      transport: { timeoutMs: 40, tries: 1 },
      refuse: (calls) => (calls.some(({ method }) => isTrace(method)) ? { fault: 'hang' } : undefined),
    })
    const error = await failure(silent.source.window(18, 20))
    expect(error).toMatchObject({ details: { 'block number': 18 } })
    expect(error.message).toMatch(/^Block 18: /)
    expect(error.hint).toContain('tracer-timeout')
  })
})
