import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tables } from '../schemas/index.ts'
import { openCatalog } from '../src/catalog/catalog.ts'
import { startDevnet } from '../src/devnet/serve.ts'
import { runMeasured } from './measured-process.ts'
import { programs } from './programs.ts'

/**
 * What a lake costs that gets small commits for months: the P chain, a block a commit, small files merged on the way. Prints at ten places
 * what a commit takes, a publication, the start of a run that has nothing to do, and peak memory; at the end the last place as a multiple
 * of the first: `npx tsc -p tsconfig.bench.json && node dist/bench/following.js 5000 [age]`.
 */
const commits = Number(process.argv[2] ?? 5000)
/** Snapshots that are older are forgotten on the way, such as 10m; none when absent. */
const age = process.argv[3]
const perRun = 25
const places = 10

type Place = {
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
  ...['run', 'p-blocks', '--node-url', node.url, '--lake', lake, '--unit', '1', '--to', String(end)],
  ...(age === undefined ? [] : ['--expire', age]),
  ...['--compact', '--json', '--log-level', 'error'],
]

const cpuOf = async (args: readonly string[]): Promise<{ cpuMs: number; peakMiB: number }> => {
  const { cpuSeconds, peakMiB } = await runMeasured(programs.chainlake, args)
  return { cpuMs: cpuSeconds * 1000, peakMiB }
}

/** Of a lake at rest: of a publication only what it takes beside the start of its process. */
async function measurePlace(end: number, runs: readonly { cpuMs: number; peakMiB: number }[]): Promise<Place> {
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

function row({ commits: done, commitMs, publishMs, startMs, peakMiB }: Place): string {
  const numbers = [done, commitMs.toFixed(1), publishMs.toFixed(0), startMs.toFixed(0), peakMiB.toFixed(0)]
  return numbers.map((value) => String(value).padStart(10)).join(' ')
}

try {
  console.log('   commits  commit ms publish ms   start ms   peak MiB  files    catalog (CPU; MiB)')
  const measured: Place[] = []
  let runs: Awaited<ReturnType<typeof cpuOf>>[] = []
  const each = Math.max(perRun, Math.floor(commits / places / perRun) * perRun)
  for (let end = perRun; end <= commits; end += perRun) {
    runs.push(await cpuOf(to(end)))
    const isFirst = measured.length === 0 && end >= Math.min(100, commits)
    if (!isFirst && end % each !== 0) continue
    const place = await measurePlace(end, runs.slice(-4))
    console.log(`${row(place)} ${await lakeFacts()}`)
    measured.push(place)
    runs = []
  }
  const [first, last] = [measured[0], measured.at(-1)]
  if (first !== undefined && last !== undefined) {
    const multiple = (name: Exclude<keyof Place, 'commits'>) => `${(last[name] / first[name]).toFixed(2)} × ${name}`
    console.log((['commitMs', 'publishMs', 'startMs', 'peakMiB'] as const).map(multiple).join(', '))
  }
} finally {
  await node.close()
  await rm(folder, { recursive: true, force: true })
}
