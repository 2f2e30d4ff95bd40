import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { chainlake } from '../cli/spawn.ts'
import { copyFiles } from './copy-files.ts'
import { newLake } from './lake-run.ts'

const kibOfMib = 1024

/** Prints the peak memory of a process in KiB when the process ends. */
const reporter = 'process.on("exit",()=>process.stderr.write("peak\\x20"+process.resourceUsage().maxRSS+"\\n"))'

async function peakOf(args: readonly string[]): Promise<number> {
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(reporter)}` }
  const { code, stderr } = await chainlake([...args, '--log-level', 'error'], { env })
  expect(code, stderr).toBe(0)
  return Math.max(...[...stderr.matchAll(/^peak (\d+)$/gm)].map(([, peak]) => Number(peak))) / kibOfMib
}

let node: Devnet
beforeAll(async () => {
  node = await startDevnet({ seed: 3, blocks: 90_000 })
})
afterAll(() => node.close())

// The bound is 512 MiB. The memory of a run varies by some dozens of MiB. Without the reuse of buffers, a run took 524 MiB and kept
// growing.
test('a run over many containers with their bytes stays well below its memory bound', async () => {
  const to = ['--to', '90000']
  const peak = await peakOf(['run', 'p-blocks', '--raw', ...to, '--node-url', node.url, '--lake', newLake()])
  expect(peak).toBeLessThan(485)
})

// Each additional thread may take 220 MiB more; 110 to 130 MiB were measured.
test.each([2, 3])('a run with %d threads needs little more memory for each thread', async (threads) => {
  const to = ['--to', '90000', '--threads', String(threads)]
  const peak = await peakOf(['run', 'p-blocks', '--raw', ...to, '--node-url', node.url, '--lake', newLake()])
  expect(peak).toBeLessThan(485 + (threads - 1) * 220)
})

// It took 416 MiB when a view listed its files.
test('a run that publishes a lake of 18,000 files needs little more memory than another', async () => {
  const lake = newLake()
  const run = (to: string) => ['run', 'p-blocks', '--raw', '--to', to, '--node-url', node.url, '--lake', lake]
  await peakOf(run('300'))
  await copyFiles(lake, 18_000)
  expect(await peakOf(run('400'))).toBeLessThan(350)
})
