import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { programs } from '../programs.ts'
import { startServer } from '../server-process.ts'
import { type ProcessTimes, timeProcess } from '../whole-process.ts'

/** The measured version, a wheel on PyPI. cryo is written in Rust. */
const cryo = 'cryo==0.3.2'
const freeze = fileURLToPath(new URL('../../../bench/peers/freeze.py', import.meta.url))
/** Numbers of blocks. The exporters alternate, so that other work of the machine affects both alike. */
const sizes = [20_000, 60_000]
const rounds = 3

/**
 * Exports the same EVM blocks with chainlake and with cryo. cryo writes half of the columns, checks nothing and commits nothing. If Python
 * cannot install cryo, the only line says so.
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

/** The path of a Python with cryo; null if it cannot be installed. */
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
