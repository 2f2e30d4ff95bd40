/**
 * Exports a simulated network that another process serves and prints containers/s, rows/s, CPU seconds and peak memory of
 * the exporting process. `npm run bench` or `npm run bench -- 50000 p-blocks`: containers, then pipelines.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { RunSummary } from '../src/run/run-pipelines.ts'

type Measured = { summary: RunSummary; cpuSeconds: number; peakMiB: number }

const program = fileURLToPath(new URL('../src/cli/main.js', import.meta.url))
const reporter = fileURLToPath(new URL('./report-usage.js', import.meta.url))

const [count = '200000', ...asked] = process.argv.slice(2)
const runs = asked.length > 0 ? asked : ['p-blocks', 'p-blocks --raw', 'x-blocks', 'c-blocks']

const node = spawn(process.execPath, [program, 'devnet', '--port', '0', '--seed', '3', '--blocks', count], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
const lake = join(mkdtempSync(join(tmpdir(), 'chainlake-bench-')), 'lake')
try {
  const url = await urlOf(node)
  console.log('export             containers    seconds  containers/s     rows/s  CPU s  peak MiB')
  for (const run of runs) print(run, await measure(run.split(' '), url))
} finally {
  node.kill()
  rmSync(lake, { recursive: true, force: true })
}

/** The first line of the simulated network names its URL, once the chain is generated. */
function urlOf(child: ChildProcess): Promise<string> {
  let text = ''
  return new Promise((resolve, reject) => {
    child.on('exit', () => reject(new Error(`The simulated network did not start: ${text}`)))
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      const url = /http:\/\/[\d.:]+/.exec(text)?.[0]
      if (url !== undefined) resolve(url)
    })
  })
}

/** One run of the command line; `--raw` on what is covered writes the raw containers only. */
function measure(args: string[], url: string): Promise<Measured> {
  const child = spawn(
    process.execPath,
    [
      '--import',
      reporter,
      program,
      'run',
      ...args,
      '--node-url',
      url,
      '--lake',
      lake,
      '--json',
      '--log-level',
      'error',
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  return new Promise((resolve, reject) => {
    child.on('close', (code) => {
      if (code !== 0) return reject(new Error(`${args.join(' ')} ended with ${code}: ${stderr}`))
      resolve({ summary: JSON.parse(stdout), ...JSON.parse(stderr.trim().split('\n').at(-1) ?? '') })
    })
  })
}

function print(name: string, { summary, cpuSeconds, peakMiB }: Measured): void {
  for (const { containers, seconds, tables } of summary.jobs) {
    const rows = tables.reduce((sum, table) => sum + table.rows, 0)
    console.log(
      [
        name.padEnd(16),
        String(containers).padStart(12),
        seconds.toFixed(1).padStart(10),
        Math.round(containers / seconds)
          .toString()
          .padStart(13),
        Math.round(rows / seconds)
          .toString()
          .padStart(10),
        cpuSeconds.toFixed(1).padStart(6),
        peakMiB.toFixed(0).padStart(9),
      ].join(' '),
    )
  }
}
