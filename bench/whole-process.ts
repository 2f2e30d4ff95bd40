import { spawnSync } from 'node:child_process'

export type ProcessTimes = { readonly cpuSeconds: number; readonly seconds: number }

const timed = 'TIMEFORMAT="%3U %3S %3R"; time "$0" "$@" > /dev/null'

/**
 * The times of a process of any program, measured by the shell that starts it. They include the time before and after the program's own
 * code, which no measurement inside the process sees. Throws when the program fails.
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
