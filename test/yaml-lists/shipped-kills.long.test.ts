import PQueue from 'p-queue'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shippedLists } from '../../src/config/shipped-lists.ts'
import type { Pipeline, Table } from '../../src/define/index.ts'
import { type Devnet, startDevnet } from '../../src/devnet/serve.ts'
import { chosen } from '../run/cuts/chosen.ts'
import { command, newLake, strayFiles } from '../run/lake-run.ts'
import { argumentsOf, type Requested, runService, settledRows } from '../run/lists/devnet-jobs.ts'

/** The first request and the commit, which every walk has. */
const first = ['page.read', 'commit.before-begin', 'commit.after-coverage', 'commit.after-close']
const all = [
  ...first,
  'write.before-fsync',
  'write.after-fsync',
  'commit.after-files',
  'commit.after-commit',
  'publish.after-views-build',
  'run.before-end',
]

/** Two processes at a time, regardless of the concurrency of the test runner. */
const queue = new PQueue({ concurrency: 2 })
let node: Devnet
beforeAll(async () => {
  node = await startDevnet({ seed: 5, blocks: 900 })
})
afterAll(() => node.close())

function jobOf(pipeline: Pipeline): Requested {
  const metrics = pipeline.name === 'network-metrics' ? { metrics: ['delegatorCount', 'validatorWeight'] } : {}
  return { pipeline, values: { network: 'local', ...metrics } }
}

const lists = shippedLists().map((pipeline) => [pipeline.name, pipeline] as const)

test.concurrent.each(lists)('the shipped list %s has the same rows after kills as without', (name, pipeline) =>
  queue.add(async () => {
    const job = jobOf(pipeline)
    const tables = Object.values<Table>(pipeline.tables)
    const quiet = newLake()
    await runService(node, quiet, [job])
    const expected = await settledRows(quiet, tables)
    expect(JSON.stringify(expected)).toMatch(/"rows":[1-9]/)
    for (const point of chosen(name, first, all, 2)) {
      const lake = newLake()
      const { signal, stderr } = await command(argumentsOf(job, node, lake), { CHAINLAKE_DIE_AT: point })
      expect({ point, signal }, stderr).toEqual({ point, signal: 'SIGKILL' })
      await runService(node, lake, [job])
      expect(await settledRows(lake, tables), point).toEqual(expected)
      expect(await strayFiles(lake), point).toEqual([])
    }
  }),
)
