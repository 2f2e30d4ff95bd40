import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDevnet } from '../devnet/serve.ts'
import { tables } from '../schemas/index.ts'
import { openCatalog } from '../src/catalog/catalog.ts'
import { runMeasured } from './measured-process.ts'
import { programs } from './programs.ts'

/**
 * Measures a lake that has received small commits for months: P-Chain blocks, one commit per block, with small files merged by each run.
 * Prints the cost of a commit, of a publication and of a run without work, and the peak memory, ten times while the lake grows. The last line
 * compares the last measurement with the first: `npx tsc -p tsconfig.bench.json && node dist/bench/following.js 5000 [age]`.
 */
const commits = Number(process.argv[2] ?? 5000)
/** Age at which each run expires snapshots, such as 10m. Default: no snapshots expire. */
const age = process.argv[3]
/** Commits per run. */
const perRun = 25
const measurements = 10

type Measured = {
  readonly commits: number
  readonly commitMs: number
  readonly publishMs: number
  readonly startMs: number
  readonly peakMiB: number
}

const node = await startDevnet({ seed: 5, blocks: commits })
const folder = await mkdtemp(join(tmpdir(), 'chainlake-bench-'))
const lake = join(folder, 'lake')
const to = (end: number): string[] => [
  ...['run', 'p-blocks', '--node-url', node.url, '--lake', lake, '--unit', '1', '--to', String(end + 1)],
  ...(age === undefined ? [] : ['--expire', age]),
  ...['--compact', '--json', '--log-level', 'error'],
]

const cpuOf = async (args: readonly string[]): Promise<{ cpuMs: number; peakMiB: number }> => {
  const { cpuSeconds, peakMiB } = await runMeasured(programs.chainlake, args)
  return { cpuMs: cpuSeconds * 1000, peakMiB }
}

/** Measures the lake when it covers the blocks up to `end`. `runs` are the last runs that wrote to it. */
async function measureLake(end: number, runs: readonly { cpuMs: number; peakMiB: number }[]): Promise<Measured> {
  const start = await cpuOf(to(end))
  const views = await cpuOf(['views', '--json', '--lake', lake])
  const spent = runs.reduce((sum, { cpuMs }) => sum + cpuMs - start.cpuMs, 0)
  return {
    commits: end,
    commitMs: spent / (runs.length * perRun),
    publishMs: views.cpuMs,
    startMs: start.cpuMs,
    peakMiB: Math.max(...runs.map(({ peakMiB }) => peakMiB)),
  }
}

async function lakeFacts(): Promise<string> {
  const { tables: known } = await (await openCatalog({ folder: lake }, tables)).files()
  const files = known.reduce((sum, table) => sum + table.files.length, 0)
  const { size } = await stat(join(lake, 'catalog.ducklake'))
  return `${String(files).padStart(6)} ${(size / 2 ** 20).toFixed(1).padStart(10)}`
}

function row({ commits: done, commitMs, publishMs, startMs, peakMiB }: Measured): string {
  const numbers = [done, commitMs.toFixed(1), publishMs.toFixed(0), startMs.toFixed(0), peakMiB.toFixed(0)]
  return numbers.map((value) => String(value).padStart(10)).join(' ')
}

try {
  console.log('   commits  commit ms publish ms   start ms   peak MiB  files    catalog (CPU; MiB)')
  const measured: Measured[] = []
  let runs: Awaited<ReturnType<typeof cpuOf>>[] = []
  const each = Math.max(perRun, Math.floor(commits / measurements / perRun) * perRun)
  for (let end = perRun; end <= commits; end += perRun) {
    runs.push(await cpuOf(to(end)))
    const isFirst = measured.length === 0 && end >= Math.min(100, commits)
    if (!isFirst && end % each !== 0) continue
    const now = await measureLake(end, runs.slice(-4))
    console.log(`${row(now)} ${await lakeFacts()}`)
    measured.push(now)
    runs = []
  }
  const [first, last] = [measured[0], measured.at(-1)]
  if (first !== undefined && last !== undefined) {
    const multiple = (name: Exclude<keyof Measured, 'commits'>) => `${(last[name] / first[name]).toFixed(2)} × ${name}`
    console.log((['commitMs', 'publishMs', 'startMs', 'peakMiB'] as const).map(multiple).join(', '))
  }
} finally {
  await node.close()
  await rm(folder, { recursive: true, force: true })
}
