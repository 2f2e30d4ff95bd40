import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { programs } from './programs.ts'
import { startServer } from './server-process.ts'

/** Blocks of the lake, which has all that there is to export. */
const blocks = 200
/** Commands are measured in turns with Node itself: what else the machine does is the same for all. */
const rounds = 9

type Start = { readonly name: string; readonly args: readonly string[] }

/** CPU seconds of commands that have nothing to do, and how many times those of `node -e 0` they are. */
export async function startLines(): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'chainlake-bench-'))
  const { url, close } = await startServer(programs.staticEvm, [String(blocks)])
  try {
    const lake = join(folder, 'lake')
    const run = [programs.chainlake, 'run', 'evm-blocks', '--chain', url, '--from', '0', '--lake', lake]
    const starts: readonly Start[] = [
      { name: 'node -e 0', args: ['-e', '0'] },
      { name: '--help', args: [programs.chainlake, '--help'] },
      { name: 'status', args: [programs.chainlake, 'status', '--lake', lake] },
      { name: 'run with nothing to do', args: run },
    ]
    cpuSeconds(run)
    const measured = starts.map((): number[] => [])
    for (let round = 0; round < rounds; round++)
      for (const [at, { args }] of starts.entries()) measured[at]!.push(cpuSeconds(args))
    const medians = measured.map(medianOf)
    return starts.map(({ name }, at) => {
      const seconds = medians[at]!
      return `${name.padEnd(24)} ${seconds.toFixed(3)} CPU seconds, ${(seconds / medians[0]!).toFixed(1)} × node -e 0`
    })
  } finally {
    close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const timed = 'TIMEFORMAT="%3U %3S"; time "$0" "$@"'

/** Of a whole process, with what it needs before and after its program: no measure from inside has that. */
function cpuSeconds(args: readonly string[]): number {
  const { status, stderr } = spawnSync('bash', ['-c', timed, process.execPath, ...args], {
    encoding: 'utf8',
    env: { ...process.env, CHAINLAKE_LOG_LEVEL: 'error' },
  })
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`)
  const [user, system] = (stderr.trim().split('\n').at(-1) ?? '').split(' ').map(Number)
  return user! + system!
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}
