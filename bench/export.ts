/**
 * Exports a simulated network that another process serves and prints items/s, rows/s, CPU seconds and peak memory of the
 * exporting process. `npm run bench` or `npm run bench -- 50000 p-blocks token-transfers`: containers a chain, then
 * pipelines. Items are containers, or pages of a service.
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
  console.log('export                  items    seconds    items/s     rows/s  CPU s  peak MiB')
  for (const run of runs) print(run, await measure(await argumentsOf(run, url), url))
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

/** What the command line needs besides the names of a run: what a service is asked for. */
async function argumentsOf(run: string, url: string): Promise<string[]> {
  const words = run.split(' ')
  const service = ['--service-profile', 'devnet', '--data-url', url, '--metrics-url', url, '--network', 'local']
  const evm = [...service, '--chain-id', '43112']
  // The lists that pipelines are made for are asked of the network before the clock runs.
  const addresses = async (of: string): Promise<string> => {
    const answer = await fetch(`${url}/devnet/addresses?of=${of}`)
    return (await answer.text()).trim().split('\n').join(',')
  }
  const more: Readonly<Record<string, () => Promise<string[]>>> = {
    'token-transfers': async () => [...evm, '--contracts', await addresses('contracts')],
    'wallet-transfers': async () => [...evm, '--wallets', await addresses('evm')],
    'rest-transactions': async () => [...service, '--blockchain', 'p-chain'],
    'rest-utxos': async () => [...service, '--blockchain', 'p-chain', '--addresses', await addresses('p')],
    'rest-evm-blocks': async () => evm,
  }
  return [...words, ...((await more[words[0] ?? '']?.()) ?? [])]
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
  for (const job of summary.jobs) {
    const { seconds, tables } = job
    const items = job.kind === 'containers' ? job.containers : job.pages
    const rows = tables.reduce((sum, table) => sum + table.rows, 0)
    console.log(
      [
        name.padEnd(18),
        String(items).padStart(10),
        seconds.toFixed(1).padStart(10),
        String(Math.round(items / seconds)).padStart(10),
        String(Math.round(rows / seconds)).padStart(10),
        cpuSeconds.toFixed(1).padStart(6),
        peakMiB.toFixed(0).padStart(9),
      ].join(' '),
    )
  }
}
