import { runCommandLine } from '../../src/cli/run-command-line.ts'
import type { Finished, SpawnOptions } from './spawn.ts'

let last: Promise<unknown> = Promise.resolve()

/**
 * Runs a command as `chainlake` of spawn.ts does, but in this process, which saves the start. It cannot test signals, stdin and pipes. One
 * command at a time, because all share the folder and the environment.
 */
export function chainlake(args: readonly string[], options: Omit<SpawnOptions, 'input'> = {}): Promise<Finished> {
  const next = last.then(() => captured(args, options))
  last = next.catch(() => undefined)
  return next
}

async function captured(args: readonly string[], { cwd, env }: SpawnOptions): Promise<Finished> {
  const before = { cwd: process.cwd(), env: process.env, log: console.log }
  const said = { stdout: '', stderr: '' }
  const writes = { stdout: process.stdout.write, stderr: process.stderr.write }
  for (const name of ['stdout', 'stderr'] as const) {
    process[name].write = ((text: string, done?: () => void) => {
      said[name] += text
      done?.()
      return true
    }) as typeof process.stdout.write
  }
  console.log = (text: unknown) => {
    said.stdout += `${text}\n`
  }
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('CHAINLAKE_'))
  process.env = { ...Object.fromEntries(inherited), ...env }
  if (cwd !== undefined) process.chdir(cwd)
  try {
    const code = await runCommandLine(args)
    return { code, ...said }
  } finally {
    process.chdir(before.cwd)
    process.env = before.env
    console.log = before.log
    process.stdout.write = writes.stdout
    process.stderr.write = writes.stderr
  }
}
