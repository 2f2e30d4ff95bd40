import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import type { WindowSource } from '../../../src/define/index.ts'
import { createEventLogs, type LogFilter, type LogsOf } from '../../../src/sources/stored-logs.ts'

type Block = { readonly number: number; readonly logs: readonly LogsOf[] }

const logsOfBlock = ['a', 'b', 'c'].flatMap((contract) => ['x', 'y', null].map((topic) => ({ contract, topic })))

/** Sources of a chain whose blocks have a log of every contract and topic, and the filters of all requests. */
function chain() {
  const requested: LogFilter[] = []
  const isPassed = ({ contracts, topics: [first = []] }: LogFilter, { contract, topic }: LogsOf) =>
    (contracts.length === 0 || contracts.includes(contract ?? '')) &&
    (first.length === 0 || first.includes(topic ?? ''))
  const logsOf = (filter: LogFilter): WindowSource<Block> => ({
    windowSize: () => 10,
    async window(from, to) {
      requested.push(filter)
      const logs = logsOfBlock.filter((log) => isPassed(filter, log))
      return Array.from({ length: to - from }, (_, at) => ({ number: from + at, logs }))
    },
  })
  return { sourceOf: createEventLogs<Block>(logsOf, (log) => log), requested }
}

test.each<[string, LogsOf[], object[]]>([
  [
    'contracts with the same events',
    [
      { contract: 'a', topic: 'x' },
      { contract: 'a', topic: 'y' },
      { contract: 'b', topic: 'x' },
      { contract: 'b', topic: 'y' },
    ],
    [{ contracts: ['a', 'b'], topics: [['x', 'y']] }],
  ],
  [
    'contracts with other events apart from them',
    [
      { contract: 'a', topic: 'x' },
      { contract: 'b', topic: 'x' },
      { contract: 'b', topic: 'y' },
      { contract: 'c', topic: 'x' },
    ],
    [
      { contracts: ['a', 'c'], topics: [['x']] },
      { contracts: ['b'], topics: [['x', 'y']] },
    ],
  ],
  [
    'events of any contract',
    [
      { contract: null, topic: 'x' },
      { contract: null, topic: 'y' },
    ],
    [{ contracts: [], topics: [['x', 'y']] }],
  ],
  [
    'an anonymous event and others of its contract',
    [
      { contract: 'a', topic: null },
      { contract: 'a', topic: 'x' },
    ],
    [{ contracts: ['a'], topics: [] }],
  ],
])('one request reads the logs of %s', async (_, wanted, filters) => {
  const { sourceOf, requested } = chain()
  const sources = wanted.map(sourceOf)
  const read = await Promise.all(sources[0]!.shared!.together(sources).map((source) => source.window(5, 7)))
  expect(requested).toEqual(filters)
  for (const [at, { contract, topic }] of wanted.entries()) {
    const own = logsOfBlock.filter(
      (log) => (contract ?? log.contract) === log.contract && (topic ?? log.topic) === log.topic,
    )
    expect(read[at]).toEqual([5, 6].map((number) => ({ number, logs: own })))
  }
})

test('sources of earlier rounds do not stay in memory', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const { sourceOf } = chain()
  const rounds = Array.from({ length: 100 }, () => new WeakRef(sourceOf({ contract: 'a', topic: 'x' })))
  await new Promise((resolve) => setTimeout(resolve))
  collect()
  expect(rounds.filter((source) => source.deref() !== undefined)).toEqual([])
  expect(sourceOf({ contract: 'a', topic: 'x' })).toBeDefined()
})
