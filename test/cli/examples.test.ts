import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { pipelines as declaredPipelines } from '../../pipelines/index.ts'
import { tables } from '../../schemas/index.ts'
import { type JobRequest, jobsOf, resolveJob } from '../../src/cli/jobs/jobs.ts'
import { profileSettings } from '../../src/cli/service-settings.ts'
import { shippedLists } from '../../src/config/shipped-lists.ts'
import { packageRoot } from '../../src/lib/package.ts'
import { settledFacts } from '../../src/run/connections/connections.ts'
import { isSkipped } from '../../src/run/jobs/run-groups.ts'
import { serviceSettings } from '../../src/sources/service-profile.ts'
import { readConfig } from '../config/right-config.ts'

const configPath = join(packageRoot(), 'examples/devnet.yaml')
const pipelines = [...declaredPipelines, ...shippedLists()]

/** An item that replaces the result of a query. */
const items: Readonly<Record<string, string>> = {
  addresses: 'local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u',
  'node-ids': 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg',
  'tx-hashes': '2Lat95McbTM1NAh4TALhKjhQNAcZt3msRQSwtVnDSfWYozjFyM',
  wallets: '0x9b9d76e71c3d6efdf234ef453df4b8c764e47acd',
}

type RequestedJob = Extract<JobRequest, { kind: 'requested' }>

async function exampleJobs(env: NodeJS.ProcessEnv = {}): Promise<RequestedJob[]> {
  const config = await readConfig(configPath, pipelines, env)
  return jobsOf([], { all: true }, { jobs: config.jobs ?? {}, configPath, pipelines }).filter(
    (job) => job.kind !== 'wrong',
  )
}

function withItems(job: RequestedJob): RequestedJob {
  const given = Object.entries(job.given).map(([name, value]) => {
    const isQuery = typeof value === 'object' && value !== null && 'query' in value
    return [name, isQuery ? [items[name]] : value]
  })
  return { ...job, given: Object.fromEntries(given) }
}

describe('examples/devnet.yaml', () => {
  test('has a job for every pipeline, and the jobs fill every table that not every run fills', async () => {
    const jobs = await exampleJobs()
    expect([...new Set(jobs.map((job) => job.pipeline.name))].sort()).toEqual(pipelines.map(({ name }) => name).sort())
    const filled = jobs.flatMap(({ given, pipeline: { tables: own, optional } }) => [
      ...Object.values(own),
      ...Object.entries(optional).flatMap(([name, more]) => (given[name] === true ? Object.values(more) : [])),
    ])
    const names = new Set(filled.map(({ name }) => name))
    expect(tables.map(({ name }) => name).filter((name) => !names.has(name))).toEqual(['chains', 'observations'])
  })

  test('satisfies every rule, and each stream has a walk that its pipeline declares', async () => {
    const rules = serviceSettings(await profileSettings({}, { service: {}, configPath }, {}))
    for (const job of await exampleJobs()) {
      if (job.pipeline.reads !== 'service') continue
      const resolved = await resolveJob(withItems(job), { folder: '/nowhere' })
      if (isSkipped(resolved)) throw new Error('an item of ours is there')
      const { pipeline, values } = resolved
      const streams = await pipeline.streams(values, settledFacts(rules))
      expect(streams.length).toBeGreaterThan(0)
      for (const { stream, walk } of streams) {
        expect(stream.network).toBe('local')
        expect(pipeline.walks).toContain(walk.kind)
      }
    }
  })

  test('uses the URL in DEVNET_URL', async () => {
    const read = (env: NodeJS.ProcessEnv) => readConfig(configPath, pipelines, env)
    expect(await read({})).toMatchObject({ 'node-url': 'http://127.0.0.1:9650' })
    const url = 'http://127.0.0.1:1'
    expect(await read({ DEVNET_URL: url })).toMatchObject({
      'node-url': url,
      service: { 'data-url': url, 'metrics-url': url },
    })
  })
})
