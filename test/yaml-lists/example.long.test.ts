import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet, transientFaults } from '../../devnet/serve.ts'
import { loadPipelines } from '../../src/cli/jobs/known-pipelines.ts'
import type { Table } from '../../src/define/index.ts'
import { packageRoot } from '../../src/lib/package.ts'
import { command, newLake, query, strayFiles } from '../run/lake-run.ts'
import { settledRows } from '../run/lists/devnet-jobs.ts'

const config = join(packageRoot(), 'examples/lists/chainlake.yaml')

/** Steps at which runs of all jobs die, one after another on the same lake. */
const kills = [
  'page.read#3',
  'write.after-fsync',
  'commit.after-coverage',
  'commit.after-close',
  'page.read#4',
  'commit.after-coverage',
  'commit.after-close',
  'stage.after-close',
  'commit.after-close',
]

describe('the example with lists in YAML', () => {
  let node: Devnet
  let tables: Table[]
  beforeAll(async () => {
    node = await startDevnet({ seed: 1, blocks: 600 })
    const own = (await loadPipelines({ config })).filter(({ reads }) => typeof reads === 'object')
    tables = own.flatMap((pipeline) => Object.values<Table>(pipeline.tables))
  })
  afterAll(() => node.close())

  const chainlake = (words: string, lake: string, environment: Record<string, string> = {}) =>
    command([...words.split(' '), '--lake', lake], { DEVNET_URL: node.url, ...environment })
  const run = (lake: string, environment: Record<string, string> = {}) =>
    chainlake(`run --all --config ${config} --log-level error`, lake, environment)

  test('has no mistake', async () => {
    const { code, stdout, stderr } = await command(['validate', '--config', config])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('is valid')
  })

  test('fills the same rows despite faults and after kills, and the lake is whole', async () => {
    const quiet = newLake()
    const { code, stderr } = await run(quiet)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const expected = await settledRows(quiet, tables)
    expect(Object.keys(expected)).toEqual(['block_heads', 'wallet_tokens', 'known_chains'])
    expect(
      await query(quiet, 'SELECT count(*)::INT AS blocks, max(block_number)::INT AS newest FROM block_heads'),
    ).toEqual([{ blocks: 600, newest: 600 }])

    const lake = newLake()
    node.setFaults({ every: 6, kinds: [...transientFaults, 'expired-token', 'short-page', 'empty-page'] })
    for (const point of kills) {
      const { signal } = await run(lake, { CHAINLAKE_DIE_AT: point })
      expect({ point, signal }).toEqual({ point, signal: 'SIGKILL' })
    }
    expect(await run(lake)).toMatchObject({ code: 0 })
    node.setFaults(null)
    expect(await settledRows(lake, tables)).toEqual(expected)
    expect(await strayFiles(lake)).toEqual([])
    expect(await chainlake('verify', lake)).toMatchObject({ code: 0, stdout: expect.stringContaining('No errors') })
    expect(await chainlake('gaps', lake)).toMatchObject({ code: 0, stdout: expect.stringContaining('No gaps') })
    const counted = await command(['sql', 'SELECT 40 + count(*) AS n FROM known_chains_latest', '--lake', lake])
    expect(counted).toMatchObject({ code: 0, stdout: expect.stringContaining('41') })
  }, 300_000)

  test('reads only what is new after the network has grown, and each parameter and revision names other rows', async () => {
    const lake = newLake()
    await run(lake)
    await node.grow(30)
    const { stdout } = await chainlake(`run block-heads --config ${config} --json`, lake)
    expect(JSON.parse(stdout)).toMatchObject({ jobs: [{ pages: expect.any(Number) }] })
    expect(await query(lake, 'SELECT count(*)::INT AS blocks FROM block_heads')).toEqual([{ blocks: 630 }])
  }, 120_000)
})
