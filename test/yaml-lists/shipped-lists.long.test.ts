import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { shippedLists } from '../../src/config/shipped-lists.ts'
import { packageRoot } from '../../src/lib/package.ts'
import { listSchema } from '../../src/yaml-lists/check-list.ts'
import { newLake } from '../run/lake-run.ts'
import { runService } from '../run/lists/devnet-jobs.ts'
import { expectWhole, readSummary } from '../run/lists/summary.ts'

const written = Object.entries(parse(readFileSync(join(packageRoot(), 'pipelines/lists.yaml'), 'utf8')) as object)

test.each(written)('the shipped list %s has no mistake', (_, list) => {
  expect(listSchema.safeParse(list).error?.issues ?? []).toEqual([])
})

describe('the shipped lists', () => {
  let node: Devnet
  const lake = newLake()
  beforeAll(async () => {
    node = await startDevnet({ seed: 5, blocks: 900 })
  })
  afterAll(() => node.close())

  test('fill their tables with what the network has, and with what is new after it has grown', async () => {
    await runAll()
    await compare()
    await node.grow(60)
    await runAll()
    await compare()
  }, 120_000)

  async function runAll(): Promise<void> {
    const metrics = ['delegatorCount', 'delegatorWeight', 'validatorCount', 'validatorWeight']
    const { jobs } = await runService(
      node,
      lake,
      shippedLists().map((pipeline) => ({
        pipeline,
        values: { network: 'local', ...(pipeline.name === 'network-metrics' ? { metrics } : {}) },
      })),
    )
    expect(jobs.map((job) => ('unknownFields' in job ? job.unknownFields : undefined)).filter(Boolean)).toEqual([])
  }

  async function compare(): Promise<void> {
    const { rows, sums } = await readSummary(node.url)
    const names = shippedLists().flatMap(({ tables }) => Object.values(tables).map(({ name }) => name))
    const own = <T>(totals: Readonly<Record<string, T>>) =>
      Object.fromEntries(Object.entries(totals).filter(([path]) => names.includes(path.split('.')[0] ?? '')))
    expect(Object.keys(own(rows)).sort()).toEqual([...names].sort())
    await expectWhole(lake, { rows: own(rows), sums: own(sums) })
  }
})
