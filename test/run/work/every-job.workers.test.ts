import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startDevnet } from '../../../devnet/serve.ts'
import { packageRoot } from '../../../src/lib/package.ts'
import { comparedRows } from '../compared-rows.ts'
import { command, newLake } from '../lake-run.ts'
import { newSharedLake, startWorker, tasks } from './workers-lake.ts'

/** Columns that differ between two health checks of a node, such as the duration and its message. */
const ofCheck = new Set(['checked_at', 'checked_at_ns', 'duration_ns', 'message'])

const rowsOf = (lake: string) =>
  comparedRows(lake, ({ columns }) => Object.keys(columns).filter((name) => !ofCheck.has(name)))

test('three workers that run every job of the examples write the same rows as one process', async () => {
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
