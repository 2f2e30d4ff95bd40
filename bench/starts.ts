import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { programs } from './programs.ts'
import { startServer } from './server-process.ts'
import { timeProcess } from './whole-process.ts'

/** Blocks of the lake, which has all that there is to export. */
const blocks = 200
/** Commands are measured in turns with Node itself: what else the machine does is the same for all. */
const rounds = 9

type Start = { readonly name: string; readonly args: (round: number) => readonly string[] }

/** CPU seconds of commands that have little to do: what a start costs. */
export async function startLines(): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'chainlake-bench-'))
  const { url, close } = await startServer(programs.staticEvm, [String(blocks)])
  try {
    const lake = join(folder, 'lake')
    const run = [programs.chainlake, 'run', 'evm-blocks', '--chain', url, '--from', '0', '--lake', lake]
    const first = (round: number) => run.with(-1, join(folder, `first-${round}`))
    const starts: readonly Start[] = [
      { name: 'node -e 0', args: () => ['-e', '0'] },
      { name: '--help', args: () => [programs.chainlake, '--help'] },
      { name: 'status', args: () => [programs.chainlake, 'status', '--lake', lake] },
      { name: 'run with nothing to do', args: () => run },
      { name: `first run of ${blocks} blocks`, args: first },
    ]
    cpuSeconds(run)
    const measured = starts.map((): number[] => [])
    for (let round = 0; round < rounds; round++)
      for (const [at, { args }] of starts.entries()) measured[at]!.push(cpuSeconds(args(round)))
    // The least of all rounds: what else the machine does only adds to it.
    return starts.map(({ name }, at) => `${name.padEnd(24)} ${Math.min(...measured[at]!).toFixed(3)} CPU seconds`)
  } finally {
    close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function cpuSeconds(args: readonly string[]): number {
  return timeProcess(process.execPath, args).cpuSeconds
}
