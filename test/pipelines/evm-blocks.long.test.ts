import { afterEach, describe, expect, test } from 'vitest'
import { startDevnet } from '../../devnet/serve.ts'
import { evmBlocksPipeline } from '../../pipelines/evm-blocks.ts'
import type { Endpoint, Facts, Range, ValuesOf } from '../../src/define/index.ts'
import { OtherSourceError } from '../../src/errors.ts'
import { createTransport } from '../../src/fetch/transport.ts'
import { runPipelines } from '../../src/run/jobs/run-pipelines.ts'
import type { Answers } from '../decode/evm/rpc-facts.ts'
import { recordedAnswers } from '../decode/evm/rpc-facts.ts'
import { quick } from '../fetch/local-server.ts'
import { recordingFolder } from '../recorded.ts'
import { jobOf } from '../run/job-of.ts'
import { newLake, query, rowSets, strayFiles } from '../run/lake-run.ts'
import { type EvmNodeOptions, startEvmNode } from '../sources/evm-node.ts'

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const granite = recordedAnswers('granite')

async function serve(chain: readonly Answers[] = granite, options: EvmNodeOptions = {}) {
  const node = await startEvmNode(chain, options)
  cleanups.push(node.close)
  return node
}

type Values = ValuesOf<typeof evmBlocksPipeline.parameters>
type Run = { readonly lake: string; readonly url?: string; readonly values?: Partial<Values> }

async function run({ lake, url, values = {} }: Run) {
  return await runPipelines({
    nodeUrl: url ?? 'http://127.0.0.1:1',
    lake: { folder: lake },
    jobs: [jobOf(evmBlocksPipeline, values)],
    stop: new AbortController().signal,
    emit: () => undefined,
  })
}

describe('the stream of evm-blocks', () => {
  const cChain = '2owdGqyG6FFzTHy5qhenDXQcEghvr571KZE3gSfRJERSJinuwC'
  async function streamOf(values: Partial<Values>) {
    const node = await serve()
    const places: Endpoint[] = []
    const facts = {
      node: async () => ({ network: 'network-7', networkId: 7, chains: [{ alias: 'C', blockchainId: cChain }] }),
      ask: async (place: Endpoint, question: (connection: unknown) => Promise<unknown>) => {
        places.push(place)
        const path = place.url === null ? '' : new URL(place.url).pathname
        const transport = createTransport({ baseUrl: `${node.url}${path}`, ...quick })
        cleanups.push(transport.close)
        return await question(transport)
      },
    } as unknown as Facts
    const [stream] = await evmBlocksPipeline.streams(values as Values, facts)
    return {
      stream: stream!.stream,
      walk: stream!.walk as Range,
      requested: node.received.map(({ path }) => path),
      places,
    }
  }

  test('is named after the chain id, whatever the URL and the range are', async () => {
    const own = await streamOf({})
    const byUrlPath = async (chain: string) => (await streamOf({ chain })).requested[0]
    expect(await byUrlPath('http://host')).toBe('/')
    expect(await byUrlPath('http://host:1234/rpc')).toBe('/rpc')
    expect(await byUrlPath('http://host/rpc/')).toBe('/rpc/')
    expect(own.stream).toMatchObject({ network: 'network-7', path: 'evm-blocks/43112', parameters: {} })
    expect(own.requested).toEqual(Array(2).fill('/ext/bc/C/rpc'))
    const other = await streamOf({ chain: cChain, from: 5, unit: 7, finality: 1 })
    expect(other.stream).toEqual(own.stream)
    expect(other.requested[0]).toBe(`/ext/bc/${cChain}/rpc`)
    expect(other.walk).toMatchObject({ from: 5, to: null, unit: 7 })
    const byUrl = await streamOf({ chain: 'https://rpc.example/v3/0123456789abcdef0123?key=secret' })
    expect(byUrl.stream).toMatchObject({ network: 'local', path: 'evm-blocks/43112', parameters: {} })
    expect(byUrl.places).toEqual([{ url: 'https://rpc.example/v3/0123456789abcdef0123?key=secret' }])
    expect(JSON.stringify(byUrl.walk.context)).not.toContain('example')
  })

  test('with a step is named after the step', async () => {
    const { stream, walk } = await streamOf({ step: 100 })
    expect(stream.parameters).toEqual({ step: '100' })
    expect(walk.unit).toBe(100 * (await streamOf({})).walk.unit!)
    expect((await streamOf({ step: 1 })).stream.parameters).toEqual({})
  })

  test.each(['P', 'c', 'ftp://host/rpc', '43114', '../x'])('%s is refused as a chain', async (chain) => {
    await expect(streamOf({ chain })).rejects.toMatchObject({ exitCode: 2, code: 'config.parameter' })
  })

  test('refuses an empty range before it sends a request', async () => {
    await expect(streamOf({ from: 5, to: 5 })).rejects.toMatchObject({ exitCode: 2 })
  })
})

describe('a run of evm-blocks', () => {
  const counts = (lake: string) =>
    query(
      lake,
      `SELECT (SELECT count(*) FROM evm_blocks)::INT AS blocks, (SELECT count(*) FROM evm_transactions)::INT AS transactions,
       (SELECT count(*) FROM evm_logs)::INT AS logs, (SELECT sum(value) FROM evm_transactions)::VARCHAR AS value`,
    ).then(([row]) => row)

  const countsOf = (answers: readonly Answers[]) => {
    const receipts = answers.flatMap((each) => each.receipts)
    return {
      blocks: answers.length,
      transactions: receipts.length,
      logs: receipts.flatMap(({ logs }) => logs).length,
      value: String(
        answers.flatMap(({ block }) => block.transactions).reduce((sum, { value }) => sum + BigInt(value), 0n),
      ),
    }
  }

  test('resumes after any stop and stores the same rows, without duplicates', async () => {
    const node = await startDevnet({ replay: recordingFolder('granite') })
    cleanups.push(node.close)
    const [whole, parts] = [newLake(), newLake()]
    await run({ lake: whole, url: node.url })
    expect(await counts(whole)).toEqual(countsOf(granite))
    await run({ lake: parts, url: node.url, values: { from: 100, to: 150 } })
    await run({ lake: parts, url: node.url, values: { to: 120, unit: 16 } })
    await run({ lake: parts, url: node.url })
    expect(await rowSets(parts)).toEqual(await rowSets(whole))
    expect(await strayFiles(parts)).toEqual([])
  })

  test('ends some blocks below the newest one when the node reports no finalized block', async () => {
    const node = await serve(granite, {
      interfere: ({ params }) =>
        params[0] === 'finalized' ? { error: { code: -32602, message: 'unknown tag' } } : undefined,
    })
    const lake = newLake()
    await run({ lake, values: { chain: node.url } })
    expect(await counts(lake)).toEqual(countsOf(granite.slice(0, 234 - 64 + 1)))
    await run({ lake, values: { chain: node.url, finality: 10 } })
    expect(await counts(lake)).toEqual(countsOf(granite.slice(0, 234 - 10 + 1)))
  })

  test('with a step of ten stores every tenth block and no others', async () => {
    const node = await serve()
    const lake = newLake()
    await run({ lake, values: { chain: node.url, step: 10, to: 101, unit: 3 } })
    await run({ lake, values: { chain: `${node.url}/rpc`, step: 10 } })
    expect(await counts(lake)).toEqual(countsOf(granite.filter((_, number) => number % 10 === 0)))
  })

  test('refuses a URL that serves another chain with the same id, and writes nothing', async () => {
    const lake = newLake()
    await run({ lake, values: { chain: (await serve()).url, to: 100 } })
    const before = await counts(lake)
    const other = await serve(recordedAnswers('helicon'))
    await expect(run({ lake, values: { chain: other.url } })).rejects.toThrow(OtherSourceError)
    expect(await counts(lake)).toEqual(before)
  })

  test('fails at a block that does not follow its parent', async () => {
    const forked = granite.map((each) =>
      Number(each.block.number) === 40
        ? { ...each, block: { ...each.block, parentHash: `0x${'77'.repeat(32)}` } }
        : each,
    )
    const node = await serve(forked)
    const lake = newLake()
    const failure = run({ lake, values: { chain: node.url } })
    await expect(failure).rejects.toMatchObject({
      code: 'catalog.other-source',
      message: expect.stringContaining('Block 40 of evm-blocks/43112 does not follow'),
      details: { 'names as parent': `0x${'77'.repeat(32)}`, 'before it': granite[39]!.block.hash },
    })
  })
})
