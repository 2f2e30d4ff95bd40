import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { programs } from './programs.ts'
import { startServer } from './server-process.ts'
import { timeProcess } from './whole-process.ts'

/** Blocks of the simulated chain. The lake has all of them. */
const blocks = 200
/** Rounds alternate between the commands and Node itself, so that other work of the machine affects all of them alike. */
const rounds = 9

type Start = { readonly name: string; readonly args: (round: number) => readonly string[] }

/** CPU seconds of commands with little work, which show the cost of a start. */
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
    // Other work of the machine only adds to the smallest value.
    return starts.map(({ name }, at) => `${name.padEnd(24)} ${Math.min(...measured[at]!).toFixed(3)} CPU seconds`)
  } finally {
    close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function cpuSeconds(args: readonly string[]): number {
  return timeProcess(process.execPath, args).cpuSeconds
}
