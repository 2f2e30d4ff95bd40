import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { programs } from '../programs.ts'
import { startServer } from '../server-process.ts'
import { type ProcessTimes, timeProcess } from '../whole-process.ts'

/** The version that is measured, as a wheel of PyPI: a program in Rust. */
const cryo = 'cryo==0.3.2'
const freeze = fileURLToPath(new URL('../../../bench/peers/freeze.py', import.meta.url))
/** Counts of blocks. Each exporter has its turn, so that both meet the same machine. */
const sizes = [20_000, 60_000]
const rounds = 3

/**
 * The same EVM blocks exported by chainlake and by cryo. cryo writes half of the columns, checks nothing and commits nothing. One line that
 * says why, where Python cannot install it.
 */
export async function cryoLines(): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'chainlake-bench-'))
  try {
    const python = installed(join(folder, 'venv'))
    if (python === null) return [`cryo: not measured, because Python cannot install ${cryo} here`]
    const lines: string[] = []
    for (const blocks of sizes) lines.push(...(await compared(blocks, python, folder)))
    return lines
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The Python that has cryo; null where there is none. */
function installed(venv: string): string | null {
  const python = join(venv, 'bin/python')
  if (spawnSync('python3', ['-m', 'venv', venv]).status !== 0 || !existsSync(python)) return null
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', cryo]
  return spawnSync(python, install, { timeout: 600_000 }).status === 0 ? python : null
}

async function compared(blocks: number, python: string, folder: string): Promise<string[]> {
  const { url, close } = await startServer(programs.staticEvm, [String(blocks)])
  try {
    const runs: { own: ProcessTimes; peer: ProcessTimes }[] = []
    for (let round = 0; round < rounds; round++) {
      const [lake, frozen] = ['lake', 'frozen'].map((name) => join(folder, `${name}-${blocks}-${round}`))
      mkdirSync(frozen!)
      const own = [programs.chainlake, 'run', 'evm-blocks', '--chain', url, '--from', '0', '--lake', lake!]
      runs.push({
        own: timeProcess(process.execPath, own),
        peer: timeProcess(python, [freeze, String(blocks), url, frozen!]),
      })
      for (const each of [lake, frozen]) rmSync(each!, { recursive: true, force: true })
    }
    const [own, peer] = [leastOf(runs.map((run) => run.own)), leastOf(runs.map((run) => run.peer))]
    const name = `${blocks.toLocaleString('en-US')} EVM blocks`
    return [
      lineOf(`${name} by chainlake`, own),
      `${lineOf(`${name} by cryo`, peer)}; chainlake ${(own.cpuSeconds / peer.cpuSeconds).toFixed(2)} × its CPU, ${(own.seconds / peer.seconds).toFixed(2)} × its time`,
    ]
  } finally {
    close()
  }
}

function leastOf(runs: readonly ProcessTimes[]): ProcessTimes {
  const least = (of: (run: ProcessTimes) => number) => Math.min(...runs.map(of))
  return { cpuSeconds: least((run) => run.cpuSeconds), seconds: least((run) => run.seconds) }
}

function lineOf(name: string, { cpuSeconds, seconds }: ProcessTimes): string {
  return `${name.padEnd(32)} ${cpuSeconds.toFixed(2)} CPU seconds, ${seconds.toFixed(2)} s`
}
