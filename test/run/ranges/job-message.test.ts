import { describe, expect, test } from 'vitest'
import { evmBlocksPipeline } from '../../../pipelines/evm-blocks.ts'
import { pBlocksPipeline } from '../../../pipelines/p-blocks.ts'
import { xBlocksPipeline } from '../../../pipelines/x-blocks.ts'
import type { Range } from '../../../src/define/index.ts'
import { streamId } from '../../../src/model.ts'
import { findPipeline } from '../../../src/pipeline-modules/find-pipeline.ts'
import { hideUrls, recordFacts, replayFacts, revealUrls, urlsIn } from '../../../src/run/job.ts'
import { createMemberOpener } from '../../../src/run/ranges/plan-slices.ts'
import { sliceOf } from '../../../src/run/ranges/slice-thread.ts'
import type { SliceTask } from '../../../src/run/ranges/threads.ts'

const identity = {
  networkId: 12345,
  network: 'local',
  hrp: 'local',
  chains: [],
  nativeAssetId: null,
  durangoTime: null,
  warnings: [],
}
const askService = async (): Promise<never> => {
  throw new Error('not asked')
}
const facts = {
  get service(): never {
    throw new Error('not asked')
  },
  node: async () => identity,
  ask: async () => ({ chainId: 43112n, genesisHash: '0x01', name: 'chain-43112' }) as never,
  askService,
}
const url = 'https://someone:word@rpc.example.org/v1/s3cret?key=s3cret'

/** The task with which a slice of the job is sent to a thread. */
async function messageOf(pipeline: typeof pBlocksPipeline, values: Record<string, unknown>): Promise<SliceTask> {
  const recorded = recordFacts(facts)
  const [declared] = await pipeline.streams(values, recorded.facts)
  const hidden = hideUrls(values, urlsIn(values)) as Record<string, unknown>
  return structuredClone({
    job: { pipeline: pipeline.name, values: hidden, facts: recorded.message(), ids: {} },
    stream: declared!.stream,
    slice: { from: 0, to: 10 },
    tables: Object.values(declared!.tables).map(({ name }) => name),
    follows: false,
  })
}

describe('a slice as a task', () => {
  test.each([
    ['containers', pBlocksPipeline, { unit: 10, raw: true }],
    ['heights', pBlocksPipeline, { source: 'rpc' }],
    ['blocks of an EVM chain', evmBlocksPipeline, { chain: url, step: 2 }],
  ])('for %s reads the same stream into the same tables', async (_, pipeline, values) => {
    const message = await messageOf(pipeline, values)
    const [declared] = await (pipeline as typeof pBlocksPipeline).streams(values, facts)
    const requested: (string | null)[] = []
    const connection = ({ url: place }: { url: string | null }) => {
      requested.push(place)
      return { url: '', request: () => Promise.reject(new Error('asked')), close: async () => undefined } as never
    }
    const open = createMemberOpener({ connection, urls: urlsIn(values), underWay: 2, pipelineOf: findPipeline })
    const member = await open(message)
    expect(streamId(member.stream)).toBe(streamId(declared!.stream))
    expect(member.tables).toEqual(declared!.tables)
    expect(member.walk.context).toEqual((declared!.walk as { context: unknown }).context)
    expect(sliceOf(message, member)).toMatchObject({ slice: message.slice, read: message.slice, source: member.source })
    expect(requested).toEqual([pipeline === evmBlocksPipeline ? url : null])
    // The next slice uses the same source.
    expect((await open({ ...message })).source).toBe(member.source)
  })

  test('carries the feature extensions of another asset VM chain, because they number its types', async () => {
    const values = { chain: '21fEsJU8PnSrd52JZZVckh3MCHKbVGkEqjB1UcZiVNNpigqxBT' }
    const order = ['nftfx', 'propertyfx', 'secp256k1fx']
    const recorded = recordFacts({
      service: null as never,
      askService,
      node: facts.node,
      ask: async () => order as never,
    })
    const [declared] = await xBlocksPipeline.streams(values, recorded.facts)
    const message = JSON.parse(JSON.stringify(recorded.message()))
    const [again] = await xBlocksPipeline.streams(values, replayFacts(message))
    for (const { walk } of [declared!, again!]) expect((walk as Range).context).toMatchObject({ fxs: order })
  })

  test('contains no URL, because a URL may contain a key', async () => {
    const message = await messageOf(evmBlocksPipeline, { chain: url })
    const text = JSON.stringify(message, (_, value) => (typeof value === 'bigint' ? String(value) : value))
    expect(text).not.toMatch(/s3cret|someone|word|example/)
    expect(message.job.values).toEqual({ chain: { url: 0 } })
    expect(revealUrls(message.job.values, [url])).toEqual({ chain: url })
  })
})

test('replayed facts return the recorded answers in order, and nothing else', async () => {
  let answers = 0
  const recorded = recordFacts({
    node: facts.node,
    service: {} as never,
    askService,
    ask: async () => ++answers as never,
  })
  const place = { url: null }
  await Promise.all([recorded.facts.ask(place, async () => 0), recorded.facts.ask(place, async () => 0)])
  const replayed = replayFacts(structuredClone(recorded.message()))
  expect(await replayed.ask(place, async () => 0)).toBe(1)
  expect(await replayed.ask(place, async () => 0)).toBe(2)
  await expect(replayed.ask(place, async () => 0)).rejects.toThrow('was not recorded')
  await expect(replayed.node()).rejects.toThrow('was not recorded')
})
