import { expect, test } from 'vitest'
import { startDevnet } from '../../../devnet/serve.ts'
import { lakeRows } from '../lake-rows.ts'
import { command, ended, startCommand } from '../lake-run.ts'
import { newSharedLake, startWorker, tasks, untilTasks } from './workers-lake.ts'

const account = '0x0000000000000000000000000000000000000001'

/** Each job with a table, the column of its blocks, and the first and last block of 100 that it reads, at 130 blocks when the worker begins. */
const jobs = [
  // Slices, which the command plans.
  ['p-blocks', [], '-40', 'p_blocks', 'height', 61, 100],
  ['c-blocks', [], '2025-11-01T01:00:00Z', 'c_blocks', 'block_number', null, 100],
  // Whole streams, which a worker plans.
  ['evm-balances', ['--addresses', account], '-40', 'evm_balances', 'block_number', 61, 130],
  ['evm-balances', ['--addresses', account], '2025-11-01T01:00:00Z', 'evm_balances', 'block_number', null, 130],
] as const

test.each(jobs)(
  'workers read %s %j from %s as the command counted it',
  async (...[job, flags, from, table, column, first, last]) => {
    const node = await startDevnet({ seed: 7, blocks: 100 })
    const lake = await newSharedLake()
    try {
      const common = [...lake.flags, '--node-url', node.url]
      const queueing = startCommand(['run', job, ...flags, '--from', from, '--workers', ...common])
      await untilTasks(lake, ({ created = 0 }) => created > 0)
      await node.grow(30)
      const worker = startWorker(common)
      const { code, stderr } = await ended(queueing)
      expect(code, stderr).toBe(0)
      await worker.end('SIGTERM')
      expect(Object.keys(await tasks(lake))).toEqual(['completed'])
      await command(['views', ...lake.flags])
      const [found] = await lakeRows(
        lake.folder,
        `SELECT min(${column}) AS low, max(${column}) AS high, count(*) AS rows, min(epoch(block_time)) AS time FROM ${table}`,
      )
      expect(Number(found!['high'])).toBe(last)
      expect(Number(found!['rows'])).toBe(last - Number(found!['low']) + 1)
      if (first !== null) expect(Number(found!['low'])).toBe(first)
      else {
        expect(stderr).toContain(`${from} is `)
        expect(Number(found!['time'])).toBeGreaterThanOrEqual(Date.parse(from) / 1000)
      }
    } finally {
      await node.close()
    }
  },
)
