import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tables } from '../../schemas/index.ts'
import { startDevnet } from '../../src/devnet/serve.ts'
import { packageRoot } from '../../src/lib/package-root.ts'
import { command, newLake, query } from '../run/lake-run.ts'
import { newSharedLake, startWorker, tasks } from './lake.ts'

/** Times of answers, and what stands for them, are those of the reading. */
const ofReading = new Set([
  ...[
    'observed_at',
    'observation_id',
    'completed_at',
    'read_at',
    'checked_at',
    'checked_at_ns',
    'duration_ns',
    'message',
  ],
])

/** The rows of every table as a set, without what is of the reading. */
async function rowsOf(lake: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const table of tables) {
    const columns = Object.keys(table.columns).filter((name) => !ofReading.has(name))
    const row = `row(${columns.map((name) => `"${name}"`).join(', ')})::text`
    const [{ n, h } = {}] = await query(
      lake,
      `select count(*) as n, md5(coalesce(string_agg(md5(${row}), '' order by md5(${row})), '')) as h from ${table.name}`,
    )
    found[table.name] = `${n} rows ${h}`
  }
  return found
}

test('three workers that do every job of the examples leave what one process does', async () => {
  const node = await startDevnet({ seed: 21, blocks: 100, legacy: true })
  const config = join(packageRoot(), 'examples', 'devnet.yaml')
  const environment = { DEVNET_URL: node.url, CHAINLAKE_LOG_LEVEL: 'warn' }
  const embedded = newLake()
  const quiet = await command(['run', '--all', '--config', config, '--lake', embedded], environment)
  expect(quiet.code, quiet.stderr.slice(-3000)).toBe(0)

  const lake = await newSharedLake()
  const workers = [1, 2, 3].map(() => startWorker([...lake.flags, '--config', config], environment))
  const queued = await command(['run', '--all', '--workers', '--config', config, ...lake.flags], environment)
  expect(queued.code, queued.stderr.slice(-3000)).toBe(0)
  for (const worker of workers) {
    const { code, stdout, stderr } = await worker.end('SIGTERM')
    expect(code, stderr.slice(-3000)).toBe(0)
    expect(stdout).toMatch(/^\d+ tasks done, [\d,]+ rows\.\n$/)
  }
  expect(Object.keys(await tasks(lake))).toEqual(['completed'])
  expect(await rowsOf(lake.folder)).toEqual(await rowsOf(embedded))
  const verified = await command(['verify', ...lake.flags])
  expect(verified.code, verified.stdout).toBe(0)

  const again = await command(['run', 'p-chain', '--workers', '--config', config, ...lake.flags], environment)
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('up to date')])
  await node.close()
})
