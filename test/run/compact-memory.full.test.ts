import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { evmAnswers } from '../../bench/evm-answers.ts'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
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

test('compact merges files whose rows repeat each other, which are small on disk and large in memory', async () => {
  const answer = evmAnswers(70_000)
  const server = createServer(async (incoming, response) => void response.end(answer(await text(incoming))))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const chain = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const lake = newLake()
  await peakOf(['run', 'evm-blocks', '--chain', chain, '--from', '0', '--threads', '1', '--lake', lake])
  expect(await peakOf(['compact', '--lake', lake])).toBeLessThan(512)
  expect(await query(lake, 'select count(*)::int as n from evm_blocks')).toEqual([{ n: 70_000 }])
})
