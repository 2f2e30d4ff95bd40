import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDevnet } from '../devnet/serve.ts'
import { evmBlocksPipeline } from '../pipelines/evm-blocks.ts'
import { pause } from '../src/lib/wait.ts'
import { runPipelines } from '../src/run/jobs/run-pipelines.ts'

/**
 * The lag from a new block of the C-Chain to its commit, and to the views that show it, on loopback: `evm-blocks` with --follow and a
 * maximum lag. Prints the median and the longest of each in milliseconds, and the number of commits:
 * `npx tsc -p tsconfig.bench.json && node dist/bench/head-lag.js [blocks 30] [maximum lag in milliseconds 0]`.
 */
const blocks = Number(process.argv[2] ?? 30)
const maxLagMs = Number(process.argv[3] ?? 0)
const blockTimeMs = 2_000

const node = await startDevnet({ seed: 5, blocks: 1_000 })
const folder = await mkdtemp(join(tmpdir(), 'chainlake-bench-'))
const stop = new AbortController()
const committed: number[] = []
const published: number[] = []
const at = { committed, published }

const running = runPipelines({
  nodeUrl: node.url,
  lake: { folder: join(folder, 'lake') },
  jobs: [{ name: 'evm-blocks', pipeline: evmBlocksPipeline, values: {} }],
  follow: { maxLagMs },
  stop: stop.signal,
  emit: ({ kind }) => {
    if (kind === 'committed' || kind === 'published') at[kind].push(performance.now())
  },
})

function row(name: string, grown: readonly number[], times: readonly number[]): string {
  const lags = grown.flatMap((grownMs, block) => {
    const next = grown[block + 1] ?? Number.POSITIVE_INFINITY
    const reached = times.find((ms) => ms >= grownMs && ms < next)
    return reached === undefined ? [] : [reached - grownMs]
  })
  const sorted = lags.sort((a, b) => a - b)
  const numbers = [sorted[Math.floor(sorted.length / 2)] ?? Number.NaN, sorted.at(-1) ?? Number.NaN]
  return `${name.padEnd(10)} ${numbers.map((ms) => ms.toFixed(0).padStart(10)).join(' ')} ${String(lags.length).padStart(8)}`
}

try {
  while (published.length === 0) await pause(100)
  // Time to begin to listen.
  await pause(blockTimeMs)
  const before = committed.length
  const grown: number[] = []
  for (let block = 0; block < blocks; block++) {
    grown.push(performance.now())
    await node.grow(1)
    await pause(blockTimeMs)
  }
  console.log('            median ms longest ms   blocks')
  console.log(row('committed', grown, committed))
  console.log(row('published', grown, published))
  console.log(`${committed.length - before} commits`)
} finally {
  stop.abort(new Error('The measurement is over.'))
  await running
  await node.close()
  await rm(folder, { recursive: true, force: true })
}
