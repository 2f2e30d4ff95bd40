import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { programs } from '../programs.ts'
import { startServer } from '../server-process.ts'

/** Another exporter: a Python script here and the wheels that it needs. */
type Peer = {
  readonly name: string
  readonly packages: readonly string[]
  /** Takes the number of blocks, a URL and a folder. */
  readonly script: string
  /** It is so slow that the smaller size is measured once. */
  readonly once?: true
}

type Contest = {
  readonly what: string
  readonly sizes: readonly number[]
  /** The program that serves a size. */
  readonly server: string
  /** The server renders each answer at the first request for it. Then an unmeasured run comes first. */
  readonly rendersFirst: boolean
  /** Arguments of `chainlake run` for the same rows, without the lake. */
  readonly own: (url: string) => readonly string[]
  readonly peers: readonly Peer[]
}

const contests: readonly Contest[] = [
  {
    what: 'EVM blocks',
    sizes: [20_000, 60_000],
    server: programs.staticEvm,
    rendersFirst: false,
    own: (url) => ['evm-blocks', '--chain', url, '--from', '0'],
    peers: [
      { name: 'cryo', packages: ['cryo==0.3.2'], script: 'cryo_export.py' },
      { name: 'tiders', packages: ['tiders==0.1.9', 'tiders-core==0.4.0'], script: 'tiders_export.py' },
      { name: 'ethereum-etl', packages: ['ethereum-etl==2.4.2'], script: 'etl_export.py', once: true },
    ],
  },
  {
    what: 'blocks of P-Chain transactions by REST',
    sizes: [10_000],
    server: programs.staticPages,
    rendersFirst: true,
    own: (url) => [
      ...['rest-transactions', '--blockchain', 'p-chain', '--service-profile', 'devnet', '--network', 'local'],
      ...['--data-url', url, '--metrics-url', url, '--node-url', url],
    ],
    peers: [{ name: 'dlt', packages: ['dlt[filesystem,parquet]==1.31.0'], script: 'dlt_export.py', once: true }],
  },
]

/** Exporters alternate, so that other work of the machine affects all alike. */
const rounds = 3

/**
 * Exports the same records with chainlake and with other programs, all columns that each has. The others check nothing and commit nothing.
 * Yields a line for each program and size. If Python cannot install one, its line says so. `blocks`: instead of the usual sizes.
 */
export async function* peerLines(blocks?: number): AsyncGenerator<string> {
  const folder = mkdtempSync(join(tmpdir(), 'chainlake-bench-'))
  try {
    for (const contest of contests) {
      const sizes = blocks === undefined ? contest.sizes : [blocks]
      const pythons = new Map<Peer, string>()
      for (const peer of contest.peers) {
        const python = installed(peer, join(folder, peer.name))
        if (python === null)
          yield `${peer.name}: not measured, because Python cannot install ${peer.packages.join(' ')}`
        else pythons.set(peer, python)
      }
      for (const size of sizes) yield* compared(contest, size, pythons, folder, size === sizes[0])
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The path of a Python with the packages of a peer; null if it cannot be installed. */
function installed({ packages }: Peer, venv: string): string | null {
  const python = join(venv, 'bin/python')
  if (spawnSync('python3', ['-m', 'venv', venv]).status !== 0 || !existsSync(python)) return null
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages]
  return spawnSync(python, install, { timeout: 600_000 }).status === 0 ? python : null
}

async function* compared(
  { what, server, rendersFirst, own, peers }: Contest,
  size: number,
  pythons: ReadonlyMap<Peer, string>,
  folder: string,
  isSmall: boolean,
): AsyncGenerator<string> {
  const { url, close } = await startServer(server, [String(size)])
  const target = join(folder, 'target')
  const run = (command: (target: string) => readonly string[]): Costs => {
    mkdirSync(target)
    try {
      return measured(command(target))
    } finally {
      rmSync(target, { recursive: true, force: true })
    }
  }
  const runOwn = () =>
    run((lake) => [process.execPath, programs.chainlake, 'run', ...own(url), '--lake', join(lake, 'lake')])
  const runPeer = (peer: Peer) => run((to) => [pythons.get(peer)!, here(peer.script), String(size), url, to])
  try {
    const measuredPeers = peers.filter((peer) => pythons.has(peer) && (isSmall || peer.once !== true))
    if (rendersFirst) for (const render of [runOwn, ...measuredPeers.map((peer) => () => runPeer(peer))]) render()
    const costs = new Map<string, Costs[]>()
    for (let round = 0; round < rounds; round++) {
      costs.set('chainlake', [...(costs.get('chainlake') ?? []), runOwn()])
      for (const peer of measuredPeers)
        if (round === 0 || peer.once !== true) costs.set(peer.name, [...(costs.get(peer.name) ?? []), runPeer(peer)])
    }
    const least = leastOf(costs.get('chainlake')!)
    for (const [name, all] of costs) {
      const { cpuSeconds, seconds, peakMiB } = leastOf(all)
      const share = `${(cpuSeconds / least.cpuSeconds).toFixed(2)} × the CPU, ${(seconds / least.seconds).toFixed(2)} × the time of chainlake`
      const numbers = `${cpuSeconds.toFixed(2)} CPU s, ${seconds.toFixed(2)} s, ${peakMiB.toFixed(0)} MiB`
      yield `${size.toLocaleString('en-US')} ${what} by ${name}: ${numbers}${name === 'chainlake' ? '' : `; ${share}`}`
    }
  } finally {
    close()
  }
}

type Costs = { readonly cpuSeconds: number; readonly seconds: number; readonly peakMiB: number }

/** Runs a command to its end. A program of another language is measured from outside. Throws when it fails. */
function measured(command: readonly string[]): Costs {
  const { status, stdout, stderr } = spawnSync('python3', [here('measure.py'), ...command], {
    encoding: 'utf8',
    env: { ...process.env, CHAINLAKE_LOG_LEVEL: 'error' },
  })
  if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status}: ${stderr}`)
  return JSON.parse(stdout) as Costs
}

/** The least times, and the largest memory. */
function leastOf(runs: readonly Costs[]): Costs {
  return {
    cpuSeconds: Math.min(...runs.map(({ cpuSeconds }) => cpuSeconds)),
    seconds: Math.min(...runs.map(({ seconds }) => seconds)),
    peakMiB: Math.max(...runs.map(({ peakMiB }) => peakMiB)),
  }
}

/** A Python script next to the source of this file. */
function here(script: string): string {
  return fileURLToPath(new URL(`../../../bench/peers/${script}`, import.meta.url))
}
