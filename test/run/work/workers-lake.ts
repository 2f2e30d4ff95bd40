import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { ask, newPlace, type PostgresLake } from '../../catalog/postgres/database.ts'
import { type Ended, ended, startCommand } from '../lake-run.ts'

/** A lake that workers write, and the flags that name it in commands. */
export type SharedLake = PostgresLake & { readonly flags: readonly string[] }

export async function newSharedLake(): Promise<SharedLake> {
  const place = await newPlace()
  return { ...place, flags: ['--lake', place.url, '--data', place.folder] }
}

export type Worker = {
  readonly process: ChildProcess
  readonly ended: Promise<Ended>
  /** Sends the signal and resolves when the worker has ended. */
  readonly end: (signal: NodeJS.Signals) => Promise<Ended>
}

export function startWorker(args: readonly string[], environment: Record<string, string> = {}, root?: string): Worker {
  const process = startCommand(['worker', '--log-level', 'info', ...args], environment, root)
  const ending = ended(process)
  return {
    process,
    ended: ending,
    end: (signal) => {
      process.kill(signal)
      return ending
    },
  }
}

/** Kills the process immediately, whatever it is doing. */
export async function kill({ process }: Worker): Promise<void> {
  process.kill('SIGKILL')
  if (process.exitCode === null && process.signalCode === null) await once(process, 'close')
}

/** The number of tasks in each state. */
export async function tasks({ url }: SharedLake): Promise<Record<string, number>> {
  const rows = await ask(
    url,
    "SELECT state::text, count(*)::int AS n FROM pgboss.job WHERE name = 'chainlake' GROUP BY 1",
  )
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]))
}

/** Resolves when `holds` returns true for the tasks. */
export async function untilTasks(
  lake: SharedLake,
  holds: (tasks: Record<string, number>) => boolean,
  patienceMs = 120_000,
): Promise<void> {
  for (const endMs = Date.now() + patienceMs; ; ) {
    const now = await tasks(lake).catch(() => ({}))
    if (holds(now)) return
    if (Date.now() > endMs) throw new Error(`The tasks are ${JSON.stringify(now)}.`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
