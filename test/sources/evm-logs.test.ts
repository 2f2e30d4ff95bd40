import { afterEach, describe, expect, test } from 'vitest'
import { createTransport } from '../../src/fetch/transport.ts'
import { createEvmLogs } from '../../src/sources/evm-logs.ts'
import { recordedAnswers } from '../decode/evm/rpc-facts.ts'
import { recordedCalls } from '../decode/node/calls.ts'
import { quick } from '../fetch/local-server.ts'
import { type Call, type EvmNodeOptions, type Said, startEvmNode } from './evm-node.ts'

type EvmLogsOptions = Parameters<typeof createEvmLogs>[2]

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const granite = recordedAnswers('granite')
const logsOf = (answers: typeof granite) => answers.flatMap(({ receipts }) => receipts.flatMap(({ logs: own }) => own))
const logs = logsOf(granite)
const everything = { contracts: [], topics: [] }
const [first] = logs

async function serve(options: EvmNodeOptions & Partial<EvmLogsOptions> & { readonly answers?: typeof granite } = {}) {
  const { interfere, refuse, filter = everything, answers = granite, ...rest } = options
  const node = await startEvmNode(answers, {
    ...(interfere === undefined ? {} : { interfere }),
    ...(refuse === undefined ? {} : { refuse }),
  })
  const transport = createTransport({ baseUrl: node.url, ...quick })
  cleanups.push(node.close, transport.close)
  const source = createEvmLogs(transport, '/ext/bc/C/rpc', { filter, waitMs: 2, near: 0, samples: 0, ...rest })
  const requested = (method: string) =>
    node
      .requested()
      .flat()
      .filter((call) => call.method === method)
  return { node, source, requested }
}

/** Options that replace the answers to eth_getLogs. */
const saying = (said: (call: Call, honest: Said, count: number) => Said | undefined) => ({
  interfere: (call: Call, honest: Said, count: number) =>
    call.method === 'eth_getLogs' ? said(call, honest, count) : undefined,
})

const length = granite.length

describe('a window of logs', () => {
  test('has each block with logs and its header, and requests no other header than that of the last block', async () => {
    const { source, requested } = await serve()
    const blocks = await source.window(0, length)
    expect(blocks.flatMap((block) => block.logs)).toEqual(logs)
    const numbers = [...new Set(logs.map(({ blockNumber }) => Number(blockNumber)))]
    expect(numbers.length).toBeGreaterThan(20)
    expect(blocks.map(source.at)).toEqual(numbers)
    expect(blocks.map(({ block }) => block['hash'])).toEqual(numbers.map((number) => granite[number]!.block.hash))
    const headers = requested('eth_getBlockByNumber').map(({ params }) => Number(params[0]))
    expect(new Set(headers)).toEqual(new Set([length - 1, ...numbers]))
    expect(headers).toHaveLength(new Set(headers).size)
  })

  test('may have its numbers as numbers, which some chains write instead of texts', async () => {
    const asNumbers = (at: any, names: readonly string[]) => ({
      ...at,
      ...Object.fromEntries(names.map((name) => [name, Number(at[name])])),
    })
    const { source } = await serve({
      interfere: ({ method }, honest) => {
        if (!('result' in honest)) return undefined
        const { result } = honest as { result: any }
        if (method === 'eth_getBlockByNumber') return { result: asNumbers(result, ['number', 'timestamp']) }
        const places = ['blockNumber', 'logIndex', 'transactionIndex']
        return method === 'eth_getLogs' ? { result: result.map((log: any) => asNumbers(log, places)) } : undefined
      },
    })
    expect(await source.head()).toBe(length - 1)
    const blocks = await source.window(0, length)
    expect(blocks.flatMap((block) => block.logs).map(({ transactionHash }) => transactionHash)).toEqual(
      logs.map(({ transactionHash }) => transactionHash),
    )
  })

  test('has only logs that pass the filter, and is refused when the node returns others', async () => {
    const filter = { contracts: [first.address], topics: [[], [first.topics[1]]] }
    const { source, requested } = await serve({ filter })
    const expected = logs.filter((log) => log.address === first.address && log.topics[1] === first.topics[1])
    expect((await source.window(0, length)).flatMap((block) => block.logs)).toEqual(expected)
    expect(requested('eth_getLogs')[0]!.params).toEqual([
      {
        fromBlock: '0x0',
        toBlock: `0x${(length - 1).toString(16)}`,
        address: [first.address],
        topics: [null, [first.topics[1]]],
      },
    ])
    const careless = await serve({ filter, ...saying(() => ({ result: logs })) })
    await expect(careless.source.window(0, length)).rejects.toMatchObject({
      code: 'evm.logs',
      message: expect.stringContaining('that does not pass the filter'),
    })
  })

  test('passes the filter of a contract also where a node of XDC writes its address with another prefix', async () => {
    const own = { ...first, address: first.address.replace('0x', 'xdc') }
    const { source } = await serve({
      filter: { contracts: [first.address], topics: [] },
      samples: 4,
      ...saying(() => ({ result: [own] })),
    })
    expect((await source.window(Number(first.blockNumber), Number(first.blockNumber) + 1))[0]!.logs).toEqual([own])
  })

  test.each([
    ['of another block', logs.slice(0, 2), 200, length],
    ['with one index', [first, logs[1], first], 0, length],
    ['without a block number or log index', [{ ...first, logIndex: null }], 0, length],
    ['not a list', { logs }, 0, length],
    ['not a list', null, 0, length],
  ])('is refused when the node returns logs %s', async (what, given, from, to) => {
    const { source } = await serve(saying(() => ({ result: given })))
    await expect(source.window(from, to)).rejects.toMatchObject({
      code: 'evm.logs',
      message: expect.stringContaining(what),
    })
  })

  const { block } = granite[Number(first.blockNumber)]!
  const end = `0x${block.transactions.length.toString(16)}`
  test.each([
    ['a transaction that the header leaves out', { transactionHash: `0x${'9'.repeat(64)}`, transactionIndex: end }],
    ['the block, at the place of a transaction', { transactionHash: block.hash }],
    ['no transaction', { transactionHash: null, transactionIndex: null }],
    ['a transaction of zeros', { transactionHash: `0x${'0'.repeat(64)}` }],
  ])('is refused when a log is of %s', async (_, changes) => {
    const { source, requested } = await serve({ tries: 2, ...saying(() => ({ result: [{ ...first, ...changes }] })) })
    await expect(source.window(0, length)).rejects.toMatchObject({
      code: 'evm.other-block',
      exitCode: 3,
      message: `Block ${Number(first.blockNumber)} has a log of a transaction that it does not list.`,
      details: { transaction: String({ ...first, ...changes }.transactionHash) },
    })
    expect(requested('eth_getLogs')).toHaveLength(2)
  })

  test.each([
    ['left out at the last try where the header proves nothing', { nonce: '0x0000000000000009' }, end, 2, true],
    ['refused where it does', {}, end, 2, false],
    ['refused at the place of a listed transaction', { nonce: '0x0000000000000009' }, '0x0', 2, false],
    ['refused without any other', { nonce: '0x0000000000000009', transactions: [] }, end, 2, false],
    ['refused by the only try', { nonce: '0x0000000000000009' }, end, 1, false],
  ])(
    'has logs of transactions that the header does not list, as Harmony: %s',
    async (_, header, index, tries, isRead) => {
      const own = { ...first, transactionHash: `0x${'9'.repeat(64)}`, transactionIndex: index, logIndex: '0xff' }
      const logsSaid = saying(() => ({ result: [...logs, own] })).interfere!
      const { source, requested } = await serve({
        tries,
        interfere: (call, honest, count) =>
          call.method === 'eth_getBlockByNumber' && call.params[0] === first.blockNumber && 'result' in honest
            ? { result: { ...(honest.result as object), ...header } }
            : logsSaid(call, honest, count),
      })
      const reading = source.window(0, length)
      if (isRead) {
        const blocks = await reading
        expect(blocks.flatMap((each) => each.logs)).toEqual(logs)
        expect(blocks.flatMap(({ number, remarks = [] }) => remarks.map(() => number))).toEqual([
          Number(first.blockNumber),
        ])
      } else await expect(reading).rejects.toMatchObject({ code: 'evm.other-block', exitCode: 3 })
      expect(requested('eth_getLogs')).toHaveLength(tries)
    },
  )

  test.each([
    ['left out in a block without transactions, as on zkSync', { nonce: '0x0000000000000009', transactions: [] }, true],
    ['refused where the header proves that there are some', { transactions: [] }, false],
    ['refused next to transactions', { nonce: '0x0000000000000009' }, false],
  ])('has logs of no transaction, which are %s', async (_, header, isRead) => {
    const own = { ...first, transactionHash: `0x${'0'.repeat(64)}`, transactionIndex: '0x0' }
    const { source } = await serve({
      tries: 2,
      interfere: (call, honest) => {
        if (call.method === 'eth_getLogs') return { result: [own] }
        return call.params[0] === first.blockNumber && 'result' in honest
          ? { result: { ...(honest.result as object), ...header } }
          : undefined
      },
    })
    const reading = source.window(0, length)
    if (isRead) expect(await reading).toMatchObject([{ logs: [], remarks: [expect.stringContaining('left out')] }])
    else await expect(reading).rejects.toMatchObject({ code: 'evm.other-block', exitCode: 3 })
  })

  describe('with logs at other places than those of their transactions in the block', () => {
    const many = granite.find(({ receipts }) => receipts.filter(({ logs: own }) => own.length > 0).length > 1)!
    const { number } = many.block
    const moved = (at: any) => ({ ...at, transactionIndex: `0x${(Number(at.transactionIndex) + 2).toString(16)}` })
    const isOther = { nonce: '0x0000000000000009' }
    /** A block with two transactions with logs; `header` and `inBlock` change it, and the logs are `moved`. */
    const servingMoved = async (
      header: object,
      inBlock: (transaction: any) => any = (same) => same,
      more: readonly any[] = [],
    ) =>
      await serve({
        tries: 2,
        interfere: (call, honest) => {
          if (!('result' in honest) || honest.result === null) return undefined
          const { result } = honest as { result: any }
          if (call.method === 'eth_getLogs')
            return { result: result.map((log: any) => (log.blockNumber === number ? moved(log) : log)) }
          if (call.params[0] !== number) return undefined
          const list = call.params[1]
            ? [...result.transactions.map(inBlock), ...more]
            : [...result.transactions, ...more.map(({ hash }) => hash)]
          return { result: { ...result, ...header, transactions: list } }
        },
      })

    test('has the places of the block, as it names transactions by their hashes', async () => {
      const { source, requested } = await servingMoved(isOther)
      const blocks = await source.window(0, length)
      expect(blocks.flatMap((each) => each.logs)).toEqual(logs)
      expect(blocks.flatMap(({ number: at, remarks = [] }) => remarks.map((said) => [at, said]))).toEqual([
        [Number(number), 'eth_getLogs states another transactionIndex than the block, and that of the block is kept'],
      ])
      // Only this block is requested with whole transactions.
      expect(requested('eth_getBlockByNumber').filter(({ params }) => params[1] === true)).toHaveLength(1)
    })

    const logged = many.receipts.find(({ logs: own }) => own.length > 0)!.transactionHash
    const twice = many.block.transactions
      .filter(({ hash }: { hash: string }) => hash === logged)
      .map((each: object) => ({ ...each, transactionIndex: '0x63' }))
    test.each([
      ['', []],
      [' and lists a transaction twice', twice],
    ])('has the places of both where the block leaves out numbers%s, as those of Hedera', async (_, more) => {
      const { source } = await servingMoved(isOther, moved, more)
      const blocks = await source.window(0, length)
      const own = many.receipts.flatMap(({ logs: some }) => some)
      expect(blocks.find(({ block: { number: at } }) => at === number)).toMatchObject({ logs: own.map(moved) })
      expect(blocks.flatMap(({ remarks = [] }) => remarks)).toEqual([])
    })

    test('is refused where the header proves the places', async () => {
      const { source, requested } = await servingMoved({})
      await expect(source.window(0, length)).rejects.toMatchObject({
        code: 'evm.other-block',
        message: `Logs of block ${Number(number)} state another transactionIndex than the block.`,
      })
      expect(requested('eth_getLogs')).toHaveLength(2)
    })
  })

  test('may have logs of a block itself, as Celo had before its L2', async () => {
    const own = { ...first, transactionHash: block.hash, transactionIndex: end, logIndex: '0xff' }
    const { source } = await serve(saying(() => ({ result: [...logs, own] })))
    expect((await source.window(0, length)).flatMap((each) => each.logs)).toContainEqual(own)
  })

  test('has its logs in order, whatever the order of the answer', async () => {
    const { source } = await serve(saying(() => ({ result: logs.toReversed() })))
    expect((await source.window(0, length)).flatMap((block) => block.logs)).toEqual(logs)
  })

  test('may end at the head that the node reports', async () => {
    const { source } = await serve()
    expect(await source.head()).toBe(length - 1)
  })
})

describe('a node that returns only the first logs of a range', () => {
  const most = 100
  const whole = (all: readonly any[]) => {
    const last = all[most - 1]?.blockNumber
    return all.filter(({ blockNumber }, at) => at < most || blockNumber === last)
  }

  test.each([
    ['whatever their blocks', (all: readonly any[]) => all.slice(0, most)],
    ['to the end of a block', whole],
  ])('(%s) is asked for fewer blocks', async (_, cut) => {
    const { source } = await serve(saying((_, honest) => ({ result: cut((honest as any).result) })))
    await expect(source.window(0, length)).rejects.toMatchObject({ code: 'transport.window', kind: 'too large' })
    expect(source.windowSize()).toBeLessThan(length)
    expect((await source.window(0, 20)).flatMap((block) => block.logs)).toEqual(
      logs.filter(({ blockNumber }) => Number(blockNumber) < 20),
    )
  })
})

/** Refusals of real nodes and providers. */
const refusals: [number, string][] = [
  [-32000, 'requested too many blocks from 0 to 234, maximum is set to 50'],
  [-32005, 'query returned more than 10000 results. Try with this block range [0x0, 0x1F].'],
  [-32602, 'eth_getLogs is limited to a 10,000 range'],
  [-32600, 'You can make eth_getLogs requests with up to a 500 block range.'],
  [-32008, 'Response size exceeded. Log response size exceeded.'],
  [-32000, 'block range is too wide'],
  [-32000, 'exceed maximum block range: 50'],
  [-32000, 'query timeout exceeded'],
  [-32000, 'execution timeout'],
  [35, 'ranges over 10000 blocks are not supported on freetier'],
  [-32005, 'limit exceeded'],
  [-32603, 'internal error'],
  [-32000, 'no'],
]

describe('a log window that is too large for the node', () => {
  const blocksOf = ({ params: [{ fromBlock, toBlock }] }: Call) => Number(toBlock) - Number(fromBlock) + 1

  test.each(refusals)('is reported as too large, and the window size halves (%i %s)', async (code, message) => {
    const { source, requested } = await serve(
      saying((call) => (blocksOf(call) > 50 ? { error: { code, message } } : undefined)),
    )
    await expect(source.window(0, 200)).rejects.toMatchObject({ code: 'transport.window', kind: 'too large' })
    expect(source.windowSize()).toBe(100)
    await expect(source.window(0, 100)).rejects.toMatchObject({ code: 'transport.window', kind: 'too large' })
    expect(source.windowSize()).toBe(50)
    expect((await source.window(0, 50)).flatMap((block) => block.logs)).toEqual(
      logs.filter(({ blockNumber }) => Number(blockNumber) < 50),
    )
    // Each refused window is followed by one block, which tells whether the length was the reason.
    const lengths = requested('eth_getLogs').map(blocksOf)
    expect(lengths.filter((each) => each === 1)).toHaveLength(2)
    expect(lengths.length).toBeLessThanOrEqual(7)
  })

  test.each([
    ['lets nothing so large pass', 413],
    ['is not answered by its gateway', 504],
    ['has another status', 422],
  ])('is reported as too large when the node %s', async (_, status) => {
    const { source } = await serve({
      refuse: (calls) =>
        calls.some((call) => call.method === 'eth_getLogs' && blocksOf(call) > 50) ? { status } : undefined,
    })
    await expect(source.window(0, 80)).rejects.toMatchObject({ code: 'transport.window', kind: 'too large' })
    expect((await source.window(0, 40)).flatMap((block) => block.logs)).toEqual(
      logs.filter(({ blockNumber }) => Number(blockNumber) < 40),
    )
  })

  test('is not, if one block is refused likewise: then the error is what the node says', async () => {
    const { source, requested } = await serve(
      saying((call) => ({ error: { code: -32000, message: `filter ${blocksOf(call)} is not supported` } })),
    )
    await expect(source.window(0, 200)).rejects.toMatchObject({ code: 'transport.rpc', rpcCode: -32000 })
    expect(source.windowSize()).toBe(2048)
    // The last request asks whether the node returns the logs of the last final block.
    expect(requested('eth_getLogs').map(blocksOf)).toEqual([200, 1, 1, 1])
    expect(Number(requested('eth_getLogs').at(-1)!.params[0].fromBlock)).toBe(length - 1)
  })

  test('is not, if the node takes few calls at once: then the headers come in further batches', async () => {
    const tooMany = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32000, message: 'up to 3 calls' } })
    const { source, requested } = await serve({
      samples: 4,
      refuse: ({ length }) => (length > 3 ? { body: tooMany } : undefined),
    })
    expect((await source.window(0, length)).flatMap((block) => block.logs)).toEqual(logs)
    expect(source.windowSize()).toBeGreaterThan(200)
    expect(requested('eth_getLogs')).toHaveLength(1)
  })

  test('because of a large answer is reported as too large, except a single block', async () => {
    const { source } = await serve(
      saying(() => ({
        result: logs
          .filter(({ blockNumber }) => blockNumber === first.blockNumber)
          .map((log) => ({ ...log, data: `0x${'0'.repeat(3_000_000)}` })),
      })),
    )
    const at = Number(first.blockNumber)
    await expect(source.window(at, at + 2)).rejects.toMatchObject({ code: 'transport.window', kind: 'too large' })
    expect(await source.window(at, at + 1)).toHaveLength(1)
  })

  test('is an error of the node when it has a single block', async () => {
    const { source } = await serve(saying(() => ({ error: { code: -32000, message: 'block range is too wide' } })))
    await expect(source.window(7, 8)).rejects.toMatchObject({ code: 'transport.rpc' })
  })

  test('has the logs of a single block from its receipts, where only this block is refused', async () => {
    const number = Number(first.blockNumber)
    const failing = (answers: readonly string[]) => (call: Call) => {
      if (answers.includes(call.method)) return { error: { code: -32601, message: 'no such method' } }
      if (call.method !== 'eth_getLogs' || Number(call.params[0].fromBlock) > number) return undefined
      return Number(call.params[0].toBlock) < number
        ? undefined
        : { error: { code: -32000, message: 'failed to get logs for block #50 (0x877281..16a7c3)' } }
    }
    for (const filter of [everything, { contracts: [first.address], topics: [] }]) {
      const { source } = await serve({ filter, interfere: failing([]) })
      const [only, ...others] = await source.window(number, number + 1)
      const own = logs.filter(
        ({ blockNumber, address }) =>
          blockNumber === first.blockNumber && (filter === everything || address === first.address),
      )
      expect([only!.logs, others]).toEqual([own, []])
    }
    const lies: readonly ((receipts: any[]) => any[])[] = [
      (receipts) => receipts.slice(1),
      (receipts) => receipts.map(({ logs: _, ...receipt }) => receipt),
      (receipts) => receipts.map((receipt) => ({ ...receipt, logs: [] })),
    ]
    for (const lie of lies) {
      const { source } = await serve({
        interfere: (call, honest) =>
          call.method === 'eth_getBlockReceipts' ? { result: lie((honest as any).result) } : failing([])(call),
      })
      await expect(source.window(number, number + 1)).rejects.toMatchObject({ code: 'transport.rpc' })
    }
    const { source } = await serve({ interfere: failing(['eth_getBlockReceipts']) })
    await expect(source.window(number, number + 1)).rejects.toMatchObject({
      code: 'transport.rpc',
      message: expect.stringMatching(new RegExp(`^Block ${number}: .*failed to get logs`)),
      hint: expect.any(String),
    })
  })

  test('is tried again after many shorter windows', async () => {
    let most = 3
    const { source } = await serve(
      saying((call) => (blocksOf(call) > most ? { error: { code: -32000, message: 'too many blocks' } } : undefined)),
    )
    await expect(source.window(0, 4)).rejects.toMatchObject({ code: 'transport.window', kind: 'too large' })
    most = 1000
    for (let windows = 0; windows < 60; windows++) await source.window(0, source.windowSize())
    expect(source.windowSize()).toBe(2)
    for (let windows = 0; windows < 10; windows++) await source.window(0, source.windowSize())
    expect(source.windowSize()).toBeGreaterThan(4)
  })
})

describe('a node that is behind its head', () => {
  test('is retried when it returns incomplete logs without an error', async () => {
    const last = `0x${(length - 1).toString(16)}`
    const late = await serve({
      interfere: (call, _, count) => {
        if (call.method === 'eth_getLogs' && count < 2) return { result: logs.slice(0, 3) }
        return call.params[0] === last && count < 2 ? { result: null } : undefined
      },
    })
    expect((await late.source.window(0, length)).flatMap((block) => block.logs)).toEqual(logs)
    expect(late.requested('eth_getLogs')).toHaveLength(3)
    const never = await serve({
      tries: 3,
      interfere: (call) => (call.params[0] === last ? { result: null } : undefined),
    })
    await expect(never.source.window(0, length)).rejects.toMatchObject({ code: 'evm.missing-block' })
    expect(never.requested('eth_getLogs')).toHaveLength(3)
  })

  test('is retried when it reports its lag, and is not retried after invalid parameters', async () => {
    const errors = recordedCalls('eth_getLogs')
      .filter(({ recording }) => recording === 'live')
      .flatMap(({ refusal }) => (refusal === null ? [] : [refusal]))
    expect(errors.map(({ message }) => message)).toEqual([
      'requested to block 1048575 after last accepted block 19',
      'invalid block range params',
      'unknown block',
    ])
    for (const error of errors) {
      const { source, requested } = await serve({ tries: 2, ...saying(() => ({ error })) })
      await expect(source.window(0, length)).rejects.toMatchObject({ code: 'transport.rpc', rpcCode: error.code })
      expect(requested('eth_getLogs')).toHaveLength(error.message.startsWith('invalid') ? 4 : 2)
    }
  })

  test('is retried when it does not have the last block, whatever it says of the logs', async () => {
    const { source, requested } = await serve({
      interfere: ({ method, params }, _, count) => {
        if (count >= 2) return undefined
        // As HyperEVM answers beyond its head.
        if (method === 'eth_getLogs') return { error: { code: -32602, message: 'invalid block range' } }
        return params[0] === `0x${(length - 1).toString(16)}` ? { result: null } : undefined
      },
    })
    expect((await source.window(0, length)).flatMap((each) => each.logs)).toEqual(logs)
    expect(requested('eth_getLogs')).toHaveLength(3)
  })

  test('is retried when its block has another hash than its logs, and is an error when no tries are left', async () => {
    const number = first.blockNumber as string
    const other = { ...granite[Number(number)]!.block, hash: `0x${'7'.repeat(64)}` }
    const interfere = (tries: number) => (call: Call, _: Said, count: number) =>
      call.params[0] === number && count < tries ? { result: other } : undefined
    const soon = await serve({ interfere: interfere(1) })
    expect((await soon.source.window(0, length)).flatMap((block) => block.logs)).toEqual(logs)
    const never = await serve({ tries: 3, interfere: interfere(99) })
    await expect(never.source.window(0, length)).rejects.toMatchObject({
      code: 'evm.other-block',
      details: { 'block number': Number(number) },
    })
  })
})

describe('a gateway with a node that lags behind', () => {
  const lagAt = 150
  /** The node that serves eth_getLogs has the blocks up to `lagAt`; a request by hash fails, or has no logs. */
  const lagging = (byHash: 'fails' | 'is empty' | 'is ignored') => (call: Call, honest: Said) => {
    if (call.method !== 'eth_getLogs' || !('result' in honest)) return undefined
    const has = (log: { blockNumber: string }) => Number(log.blockNumber) <= lagAt
    const [{ blockHash }] = call.params
    if (blockHash === undefined) return { result: (honest.result as any[]).filter(has) }
    if (byHash === 'is ignored') return { result: logs.filter(has) }
    const { block } = granite.find((each) => each.block.hash === blockHash)!
    if (byHash === 'fails' && Number(block.number) > lagAt) return { error: { code: -32000, message: 'unknown block' } }
    return { result: (honest.result as any[]).filter(has) }
  }
  const all = { near: 256, samples: 4 }

  test.each(['is empty', 'is ignored'] as const)(
    'gives all logs near the head, also where a request by hash %s',
    async (byHash) => {
      const { source, requested } = await serve({ ...all, interfere: lagging(byHash) })
      expect((await source.window(0, length)).flatMap((block) => block.logs)).toEqual(logs)
      expect(requested('eth_getBlockReceipts').length).toBeGreaterThan(0)
      const filter = { contracts: [first.address], topics: [] }
      const some = await serve({ ...all, filter, interfere: lagging(byHash) })
      expect((await some.source.window(0, length)).flatMap((block) => block.logs)).toEqual(
        logs.filter(({ address }) => address === first.address),
      )
    },
  )

  test('is refused while a request by hash fails, and asked again', async () => {
    const { source, requested } = await serve({ ...all, tries: 2, interfere: lagging('fails') })
    await expect(source.window(0, length)).rejects.toMatchObject({ message: expect.stringContaining('unknown block') })
    expect(requested('eth_getLogs').filter(({ params: [{ fromBlock }] }) => fromBlock === '0x0')).toHaveLength(2)
  })

  test('is refused where a sample of older blocks shows that logs are missing', async () => {
    const { source } = await serve({ near: 20, samples: 8, tries: 2, interfere: lagging('is empty') })
    await expect(source.window(0, length)).rejects.toMatchObject({ code: 'evm.incomplete-logs', exitCode: 3 })
  })

  test.each([
    ['null, as it has none', { result: null }],
    ['an empty list, as it has none', { result: [] }],
    ['an error that says so', { error: { code: 4444, message: 'pruned history unavailable' } }],
  ])('is refused where it has pruned receipts, and answers for them with %s', async (_, said) => {
    const contracts = [first.address]
    for (const filter of [everything, { contracts, topics: [] }])
      for (const near of [0, 256]) {
        const { source } = await serve({
          ...{ filter, near, samples: 200, tries: 1 },
          interfere: ({ method }) =>
            method === 'eth_getLogs' ? { result: [] } : method === 'eth_getBlockReceipts' ? said : undefined,
        })
        await expect(source.window(0, length)).rejects.toMatchObject({ code: 'evm.incomplete-logs', exitCode: 3 })
      }
  })

  test('costs nothing where the node has all logs but one request by hash for each block near the head', async () => {
    const { source, requested } = await serve(all)
    expect((await source.window(0, length)).flatMap((block) => block.logs)).toEqual(logs)
    expect(requested('eth_getLogs')).toHaveLength(1 + length)
    expect(requested('eth_getBlockReceipts')).toEqual([])
  })

  test('has its logs as they are where a server knows no hashes, or states empty Bloom filters', async () => {
    const { source } = await serve({
      ...all,
      interfere: (call, honest) => {
        if (call.method === 'eth_getLogs' && call.params[0].blockHash !== undefined) return { result: [] }
        if (call.method !== 'eth_getBlockByNumber' || !('result' in honest)) return undefined
        return { result: { ...(honest.result as object), logsBloom: `0x${'0'.repeat(512)}` } }
      },
    })
    expect((await source.window(0, length)).flatMap((block) => block.logs)).toEqual(logs)
  })
})

describe('logs that do not agree with the Bloom filter of their header', () => {
  const other = `0x${'7'.repeat(40)}`

  test('are refused where the receipts of the block do not have them', async () => {
    const invented = { ...first, address: other, logIndex: '0x3e8' }
    const { source } = await serve({
      tries: 2,
      ...saying(() => ({ result: [...logs, invented] })),
    })
    await expect(source.window(0, length)).rejects.toMatchObject({
      code: 'evm.logs',
      exitCode: 3,
      details: { 'block number': Number(first.blockNumber) },
    })
  })

  test('are believed where receipts have them, as on the C-Chain since Helicon, and receipts are not read again', async () => {
    const helicon = recordedAnswers('helicon')
    const { source, requested } = await serve({ answers: helicon })
    expect((await source.window(0, helicon.length)).flatMap((block) => block.logs)).toEqual(logsOf(helicon))
    const asked = requested('eth_getBlockReceipts').length
    expect(asked).toBeGreaterThan(0)
    await source.window(0, helicon.length)
    expect(requested('eth_getBlockReceipts')).toHaveLength(asked)
  })

  test('are believed where the node has no receipts', async () => {
    const helicon = recordedAnswers('helicon')
    const { source, requested } = await serve({
      answers: helicon,
      interfere: (call) =>
        call.method === 'eth_getBlockReceipts' ? { error: { code: -32601, message: 'no such method' } } : undefined,
    })
    for (let time = 0; time < 5; time++) expect(await source.window(0, helicon.length)).not.toEqual([])
    // It is not asked for ever.
    expect(requested('eth_getBlockReceipts')).toHaveLength(3 * 4)
  })

  test('are believed on chains with unknown headers, which may number and list logs in other ways', async () => {
    const { source, requested } = await serve({
      interfere: (call, honest) =>
        call.method === 'eth_getBlockByNumber' && 'result' in honest && honest.result !== null
          ? { result: { ...(honest.result as object), logsBloom: `0x${'0'.repeat(511)}1` } }
          : undefined,
    })
    expect((await source.window(0, length)).flatMap((block) => block.logs)).toEqual(logs)
    expect(requested('eth_getBlockReceipts')).toEqual([])
  })
})
