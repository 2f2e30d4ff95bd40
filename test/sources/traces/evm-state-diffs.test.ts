import { afterEach, describe, expect, test } from 'vitest'
import { readEvmStateDiffs } from '../../../src/decode/evm/state.ts'
import { createTransport } from '../../../src/fetch/transport.ts'
import type { EvmBlockDiffs } from '../../../src/model.ts'
import { createEvmStateDiffs } from '../../../src/sources/evm-traces.ts'
import { diffedAnswers, emptied, stateAfter, zeros } from '../../decode/evm/diff-facts.ts'
import { tracedAnswers } from '../../decode/evm/trace-facts.ts'
import { quick } from '../../fetch/local-server.ts'
import { startDiffNode } from '../diff-node.ts'
import type { Call, EvmNodeOptions, Said } from '../evm-node.ts'

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const chain = diffedAnswers()
const tracer = { tracer: 'prestateTracer' }
const changes = { ...tracer, tracerConfig: { diffMode: true } }

async function serve(options: EvmNodeOptions = {}) {
  const node = await startDiffNode(chain, options)
  cleanups.push(node.close)
  const connection = createTransport({ baseUrl: node.url, ...quick })
  cleanups.push(connection.close)
  return { node, source: createEvmStateDiffs(connection, '/ext/bc/C/rpc', { tracers: [changes], waitMs: 2 }) }
}

function expected(from: number, to: number) {
  return chain.slice(from, to).map(({ block, diffs }) => ({
    number: Number(block.number),
    block,
    transactionHashes: block.transactions.map(({ hash }: any) => hash),
    traces: [diffs.map(({ result }) => result)],
    state: {},
  }))
}

const refusing = (message: string): Said => ({ error: { code: -32000, message } })

describe('a window of state changes', () => {
  test('has each block with its transactions and diffs from one batch', async () => {
    const { node, source } = await serve()
    expect(await source.window(0, 4)).toEqual(expected(0, 4))
    expect(node.requested().map((calls) => calls.map(({ method, params }) => [method, ...params]))).toEqual([
      [
        ['eth_getBlockByNumber', '0x0', true],
        ...[1, 2, 3].flatMap((number) => [
          ['eth_getBlockByNumber', `0x${number}`, true],
          ['debug_traceBlockByNumber', `0x${number}`, changes],
        ]),
      ],
    ])
    expect(await source.head()).toBe(chain.length - 1)
    expect(source.headOf).toEqual(expect.any(String))
    const times = (await source.times!(2, 4)) as bigint[]
    expect(times.map((time) => time / 1_000_000n)).toEqual(
      chain.slice(2, 4).map(({ block }) => BigInt(block.timestamp)),
    )
    expect(source.link!(expected(2, 3)[0]!)).toEqual({ id: chain[2]!.block.hash, parentId: chain[1]!.block.hash })
  })

  test('has the state after a block of contracts that destroyed themselves, with the header in the same batch', async () => {
    const { node, source } = await serve()
    const [record] = await source.window(43, 44)
    expect(record).toEqual({ ...expected(43, 44)[0]!, state: { [emptied]: stateAfter(emptied) } })
    expect(node.requested()[1]!.map(({ method, params }) => [method, ...params])).toEqual([
      ['eth_getBlockByNumber', '0x2b', false],
      ['eth_getBalance', emptied, '0x2b'],
      ['eth_getTransactionCount', emptied, '0x2b'],
      ['eth_getCode', emptied, '0x2b'],
    ])
  })

  test.each([
    ['no object', null],
    ['slots in no object', { storage: null }],
  ])('leaves an account that is %s to the decoder, which refuses it', async (_, account) => {
    const block = chain.findIndex(({ diffs }) => diffs.length > 0)
    const address = `0x${'a'.repeat(40)}`
    const { source } = await serve({
      interfere: ({ method }, honest) =>
        method === 'debug_traceBlockByNumber'
          ? {
              result: (honest as { result: object[] }).result.map((each) => ({
                ...each,
                result: { pre: { [address]: account }, post: {} },
              })),
            }
          : undefined,
    })
    const [record] = await source.window(block, block + 1)
    expect(() => readEvmStateDiffs(record!, { network: 'local', chainId: '43112' })).toThrow(/diffs\[0\]\.p/)
  })

  test('has the slots that these contracts used', async () => {
    const { source } = await serve()
    const [record] = await source.window(29, 30)
    const slot = `0x${'1'.padStart(64, '0')}`
    const destroyed = '0x9feefe526c76bd84c7b3ea2f3e3e801dd49555fb'
    expect(record!.state).toEqual({
      [destroyed]: { balance: '0x0', nonce: '0x0', code: '0x', storage: { [zeros]: zeros, [slot]: zeros } },
    })
  })

  test('has the state of a contract without code that a transaction created, which no diff states', async () => {
    const { source } = await serve()
    const [record] = await source.window(19, 20)
    const created = chain[19]!.receipts[0].contractAddress
    expect(record!.state).toEqual({ [created]: { balance: '0x0', nonce: '0x1', code: '0x' } })
  })

  test('requests state for few blocks of the recorded chain', async () => {
    const { node, source } = await serve()
    const records = await source.window(0, chain.length)
    const open = records.filter(({ state }) => Object.keys(state).length > 0).map(({ number }) => number)
    expect(open).toEqual([5, 19, 21, 29, 43, 56, 78, 86, 103, 140])
    const asked = node.requested().filter((calls) => calls.some(({ method }) => method === 'eth_getBalance'))
    expect(asked).toHaveLength(open.length)
  })
})

describe('state after a block', () => {
  test('of another block with the same number is requested again', async () => {
    let others = 0
    const { source } = await serve({
      interfere: ({ method, params }, honest) =>
        method === 'eth_getBlockByNumber' && params[1] === false && others++ < 2
          ? { result: { ...(honest as any).result, hash: zeros } }
          : undefined,
    })
    const [record] = await source.window(43, 44)
    expect(record!.state).toEqual({ [emptied]: stateAfter(emptied) })
    expect(others).toBe(3)
  })

  test('is an error if the blocks stay different', async () => {
    const { source } = await serve({
      interfere: ({ method, params }, honest) =>
        method === 'eth_getBlockByNumber' && params[1] === false
          ? { result: { ...(honest as any).result, hash: zeros } }
          : undefined,
    })
    await expect(source.window(43, 44)).rejects.toMatchObject({
      code: 'evm.other-block',
      message: 'The node returns two different blocks with number 43.',
    })
  })

  /** A node without state, and with or without the call tracer. */
  const withoutState = (calls: (number: number) => Said) => ({
    interfere: ({ method, params }: Call) => {
      if (method === 'eth_getCode') return refusing(`missing trie node ${'a'.repeat(64)} (path )`)
      return params[1]?.tracer === 'callTracer' ? calls(Number(params[0])) : undefined
    },
  })

  test('follows from the calls of the block if the node refuses it', async () => {
    const { source } = await serve(withoutState((number) => ({ result: tracedAnswers()[number]!.traces })))
    const honest = await serve()
    const read = (record: EvmBlockDiffs) => readEvmStateDiffs(record, { network: 'local', chainId: '43112' })
    const [found, expected] = [await source.window(0, chain.length), await honest.source.window(0, chain.length)]
    expect(found.filter(({ state }) => Object.keys(state).length > 0)).toHaveLength(10)
    expect(found.map(read)).toEqual(expected.map(read))
  })

  test('is an error with its block if the node has neither state nor calls', async () => {
    const { source } = await serve(withoutState(() => refusing('no tracer')))
    await expect(source.window(43, 44)).rejects.toMatchObject({
      code: 'evm.no-state',
      message: expect.stringContaining('The node has no state of block 43: missing trie node'),
      details: { method: 'eth_getCode', 'block number': 43 },
    })
  })
})

describe('diffs', () => {
  test('of an unknown tracer are an error of the run, with block and transaction', async () => {
    const why = 'ReferenceError: prestateTracer is not defined at <eval>:1:2(0)'
    const { source } = await serve({
      interfere: ({ method, params }) => {
        if (method === 'debug_traceTransaction') return { error: { code: -32000, message: why } }
        return method === 'debug_traceBlockByNumber' && Number(params[0]) === 18
          ? { result: chain[18]!.diffs.map(({ txHash }) => ({ txHash, error: why })) }
          : undefined
      },
    })
    await expect(source.window(16, 20)).rejects.toMatchObject({
      message: `Block 18: debug_traceTransaction failed: ${why}`,
      details: { 'block number': 18, 'transaction hash': chain[18]!.diffs[0]!.txHash },
    })
  })

  test('of other transactions are refused', async () => {
    const { source } = await serve({
      interfere: ({ method, params }) =>
        method === 'debug_traceBlockByNumber' && Number(params[0]) === 18
          ? { result: chain[18]!.diffs.map((each) => ({ ...each, txHash: chain[17]!.diffs[0]!.txHash })) }
          : undefined,
    })
    await expect(source.window(18, 19)).rejects.toThrow('are not those of its transactions')
  })

  test('are requested by transaction where a block takes too long', async () => {
    const { node, source } = await serve({
      interfere: ({ method, params }) =>
        method === 'debug_traceBlockByNumber' && Number(params[0]) === 18 ? refusing('execution timeout') : undefined,
    })
    expect(await source.window(16, 19)).toEqual(expected(16, 19))
    const single = node
      .requested()
      .flatMap((calls) => calls.filter(({ method }) => method === 'debug_traceTransaction'))
    expect(single.map(({ params }) => params)).toEqual(chain[18]!.diffs.map(({ txHash }) => [txHash, changes]))
  })

  test('that are no diffs are left to the decoder', async () => {
    const { source } = await serve({
      interfere: ({ method, params }) =>
        method === 'debug_traceBlockByNumber' && Number(params[0]) === 18
          ? { result: chain[18]!.diffs.map(({ txHash }) => ({ txHash, result: 7 })) }
          : undefined,
    })
    const [record] = await source.window(18, 19)
    expect(record).toMatchObject({ traces: [chain[18]!.diffs.map(() => 7)], state: {} })
  })
})
