import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../src/devnet/serve.ts'
import { chainlake } from '../cli/spawn.ts'
import { copyFiles } from './copy-files.ts'
import { newLake, query } from './lake-run.ts'

/** Prints the peak memory of a process in KiB when the process ends. */
const reporter = 'process.on("exit",()=>process.stderr.write("peak\\x20"+process.resourceUsage().maxRSS+"\\n"))'

async function peakOf(args: readonly string[]): Promise<number> {
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(reporter)}` }
  const { code, stderr } = await chainlake([...args, '--log-level', 'error'], { env })
  expect(code, stderr).toBe(0)
  return Math.max(...[...stderr.matchAll(/^peak (\d+)$/gm)].map(([, peak]) => Number(peak))) / 1024
}

let node: Devnet
beforeAll(async () => {
  node = await startDevnet({ seed: 3, blocks: 3_000 })
})
afterAll(() => node.close())

test('compact sorts files with overlapping rows within its memory bound', async () => {
  const lake = newLake()
  await peakOf(['run', 'p-blocks', '--raw', '--node-url', node.url, '--lake', lake])
  await copyFiles(lake, 300)
  const count = 'select (select count(*) from p_transactions) as n, (select count(*) from containers) as c'
  await peakOf(['views', '--lake', lake])
  const before = await query(lake, count)
  expect(await peakOf(['compact', '--lake', lake])).toBeLessThan(485)
  expect(await query(lake, count)).toEqual(before)
})
