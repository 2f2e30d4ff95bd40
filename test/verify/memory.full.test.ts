import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { chainlake } from '../cli/spawn.ts'
import { newLake } from '../run/lake-run.ts'
import { filesOf } from './rewrite-file.ts'

/** Prints the peak memory of a process in KiB when the process ends. */
const reporter = 'process.on("exit",()=>process.stderr.write("peak\\x20"+process.resourceUsage().maxRSS+"\\n"))'

type Measured = { readonly peakMiB: number; readonly stdout: string }

async function measured(args: readonly string[]): Promise<Measured> {
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(reporter)}` }
  const { code, stdout, stderr } = await chainlake([...args, '--log-level', 'error'], { env })
  expect(code, stdout + stderr).toBe(0)
  const peakMiB = Math.max(...[...stderr.matchAll(/^peak (\d+)$/gm)].map(([, peak]) => Number(peak))) / 1024
  console.info(`${args[0]} took ${peakMiB.toFixed(0)} MiB`)
  return { stdout, peakMiB }
}

/** Upper bound in MiB for processes that may use 512 MiB. The peak varies by some dozens of MiB from run to run. */
const mostMiB = 485

/** `.ci/full memory` runs it with a million containers. */
const containers = Number(process.env['CHAINLAKE_MEMORY_CONTAINERS'] ?? 150_000)

const lake = newLake()
let node: Devnet
beforeAll(async () => {
  node = await startDevnet({ seed: 3, blocks: containers })
  await measured(['run', 'p-blocks', '--to', String(containers), '--node-url', node.url, '--lake', lake])
}, 3_600_000)
afterAll(() => node.close())

describe(`a lake of ${containers.toLocaleString('en-US')} containers takes less than 512 MiB`, () => {
  // With 150,000 containers, an earlier version ran out of memory in six of ten runs.
  test('to verify', async () => {
    const { peakMiB, stdout } = await measured(['verify', '--lake', lake])
    expect(stdout).toMatch(/No errors/)
    expect(peakMiB).toBeLessThan(mostMiB)
  })

  test('to report', async () => {
    const page = join(lake, 'page.html')
    const { peakMiB } = await measured(['report', '--lake', lake, '--out', page])
    expect(readFileSync(page, 'utf8')).not.toMatch(/Out of Memory/)
    expect(peakMiB).toBeLessThan(mostMiB)
  })

  test('to query with groups that do not fit into memory', async () => {
    const sql = 'SELECT count(*) FROM (SELECT tx_id, utxo_id, count(*) FROM p_outputs GROUP BY ALL)'
    const { peakMiB } = await measured(['sql', sql, '--lake', lake])
    expect(peakMiB).toBeLessThan(mostMiB)
  })

  test('to compact', async () => {
    const { peakMiB } = await measured(['compact', '--lake', lake])
    expect(peakMiB).toBeLessThan(mostMiB)
  })

  test('to repair', async () => {
    const [path = ''] = await filesOf(lake, 'p_outputs')
    rmSync(join(lake, path))
    const { peakMiB } = await measured(['repair', '--lake', lake])
    expect(peakMiB).toBeLessThan(mostMiB)
  })
})
