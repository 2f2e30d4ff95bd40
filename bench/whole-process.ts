import { spawnSync } from 'node:child_process'

export type ProcessTimes = { readonly cpuSeconds: number; readonly seconds: number }

const timed = 'TIMEFORMAT="%3U %3S %3R"; time "$0" "$@" > /dev/null'

/**
 * The times of a whole process of any program, as the shell that started it sees them, with what it needs before and after its own code: no
 * measure from inside has that. Throws when it fails.
 */
export function timeProcess(program: string, args: readonly string[]): ProcessTimes {
  const { status, stderr } = spawnSync('bash', ['-c', timed, program, ...args], {
    encoding: 'utf8',
    env: { ...process.env, CHAINLAKE_LOG_LEVEL: 'error' },
  })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}: ${stderr}`)
  const [user, system, seconds] = (stderr.trim().split('\n').at(-1) ?? '').split(' ').map(Number)
  return { cpuSeconds: user! + system!, seconds: seconds! }
}
