import { randomUUID } from 'node:crypto'
import PQueue from 'p-queue'
import { lakePaths, taskQueue } from '../../catalog/catalog.ts'
import type { LakeLocation } from '../../catalog/place.ts'
import { openQueueDatabase } from '../../catalog/postgres/postgres-backend.ts'
import { ConfigError } from '../../errors.ts'
import { loadPackage } from '../../lib/package.ts'
import { type ErrorParts, errorParts } from '../error-parts.ts'
import type { EmitEvent, JobResult, Postponement } from '../events.ts'
import { type Task, taskJson, taskKey, taskOf } from './task.ts'

/**
 * The used part of the public interface of pg-boss. pg-boss does not support the oldest Node version that chainlake supports, so it is not a dependency, and its types
 * are declared here. `.ci/workers` tests them.
 */
type Boss = {
  readonly start: () => Promise<unknown>
  readonly stop: (options: { readonly graceful: boolean }) => Promise<void>
  readonly on: (event: 'error' | 'warning', listener: (error: Error) => void) => unknown
  readonly createQueue: (name: string, options: object) => Promise<void>
  readonly getQueue: (name: string) => Promise<{ readonly activeCount: number } | null>
  readonly insert: (name: string, jobs: readonly object[], options: { returnId: true }) => Promise<string[] | null>
  /** Changes a job that waits; the others stay as they are. */
  readonly update: (name: string, data: object | undefined, options: Changes) => Promise<{ readonly jobs: string[] }>
  readonly findJobs: (name: string, by: Finding) => Promise<FoundJob[]>
  readonly fetch: (name: string, options: { includeMetadata: true }) => Promise<BossJob[]>
  readonly complete: (name: string, attempt: Attempt, output: object) => Promise<Settled>
  readonly fail: (name: string, attempt: Attempt | string, output: object, within?: Within) => Promise<Settled>
  /** Returns a job that has failed to the queue, with one more try. */
  readonly retry: (name: string, id: string, within?: Within) => Promise<unknown>
  readonly touch: (name: string, attempt: Attempt) => Promise<Settled>
}

/** A taken job. `retryCount` identifies the attempt. */
type Attempt = { readonly id: string; readonly retryCount: number }
type BossJob = Attempt & {
  readonly data: unknown
  readonly heartbeatSeconds: number | null
  readonly retryLimit: number
  readonly priority: number
}
/** `data`: the data of the job has these values. */
type Finding = { key: string } | { id: string } | { queued: true } | { data: object }
type FoundJob = Omit<TaskState, 'task'> & { readonly data: unknown; readonly createdOn: Date }
type Settled = { readonly affected: number }
type QueueDatabase = Awaited<ReturnType<typeof openQueueDatabase>>
type Within = { readonly db: Pick<QueueDatabase, 'executeSql'> }
type Changes = Partial<Within> & {
  readonly id?: string
  readonly singletonKey?: string
  readonly retryLimit?: number
  readonly priority?: number
  /** Seconds from now, by the clock of the database, or a time. */
  readonly startAfter?: number | string
}

const missing = {
  message: 'Workers need a package that is not installed.',
  code: 'work.package',
  hint: 'Install it where chainlake is: npm install pg-boss@12.35.0',
}

const oldestNode = [22, 12] as const

/**
 * Opens pg-boss in the database of a catalog; its tables are in the schema `pgboss`. `failed` is called with errors outside of calls.
 *
 * @throws ConfigError `work.node`, `work.package`.
 */
export async function openBoss(database: QueueDatabase, failed: (error: Error) => void): Promise<Boss> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1]))
    throw new ConfigError('Workers need a newer Node.', {
      code: 'work.node',
      details: { node: process.versions.node },
      hint: `Run this command with Node ${oldestNode.join('.')} or newer. Runs without workers do not need it.`,
    })
  // The name is a variable, so that neither the compiler nor the bundler resolves it.
  const name: string = 'pg-boss'
  const { PgBoss } = (await loadPackage(() => import(name), missing)) as {
    PgBoss: new (options: object) => Boss
  }
  const boss = new PgBoss({
    db: database,
    schedule: false,
    // How soon after the end of its lease a silent worker is detected.
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
  })
  boss.on('error', failed)
  await boss.start()
  return boss
}

/** The database of the catalog, which also contains the queue. */
export function queueUrl(lake: LakeLocation): string {
  const { url } = lakePaths(lake).endpoint
  if (url !== null) return url
  throw new ConfigError('Workers cannot reach the catalog of the lake: it is a local file.', {
    code: 'work.catalog',
    details: { lake: lake.folder },
    hint: 'Use --lake postgres://… and --data for a lake that workers write to.',
  })
}

/** A task that a worker has taken, with the lease in which the worker must send a heartbeat. */
export type TakenTask = {
  readonly attempt: Attempt & Pick<BossJob, 'retryLimit' | 'priority'>
  readonly task: Task
  readonly leaseSeconds: number
}

export type TaskState = {
  readonly id: string
  readonly task: Task
  readonly state: 'created' | 'retry' | 'active' | 'completed' | 'cancelled' | 'failed'
  readonly startAfter: Date
  readonly output: TaskOutput | null
}

export type TaskOutput = {
  readonly result?: JobResult
  readonly error?: ErrorParts
  readonly postponed?: Postponement
  /** A message of pg-boss: the worker missed its heartbeats. */
  readonly value?: { readonly message?: string }
}

const { name } = taskQueue
/** A task with transient failures is retried for about 15 minutes. An attempt that ends with its worker counts, too. */
const queueOptions = {
  policy: 'exclusive',
  retryLimit: 20,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 60,
  // A long list is kept alive by heartbeats. pg-boss allows at most a day per attempt; the next attempt resumes.
  expireInSeconds: 86_400,
  retentionSeconds: 30 * 86_400,
  deleteAfterSeconds: 7 * 86_400,
}
const putAtOnce = 1_000
/** A task that a worker leaves goes behind all others. */
const behindAll = 1_000_000

/**
 * Returns a function that resolves to null if its work fails in a way that passes, and throws any other failure. It reports once that the
 * queue cannot be reached, and once that it can be again.
 */
export function createReach(emit: EmitEvent, passes: (error: unknown) => boolean = () => true) {
  let isDown = false
  return async <T>(work: () => Promise<T>): Promise<{ readonly done: T } | null> => {
    try {
      const done = await work()
      if (isDown) emit({ kind: 'notice', message: 'The queue can be reached again.' })
      isDown = false
      return { done }
    } catch (error) {
      if (!passes(error)) throw error
      const reason = error instanceof Error ? error.message : String(error)
      const message = 'The queue cannot be reached; chainlake retries until it can.'
      if (!isDown) emit({ kind: 'warning', message, details: { reason } })
      isDown = true
      return null
    }
  }
}

export type Queue = Awaited<ReturnType<typeof openQueue>>

/**
 * Opens the queue in the database of a catalog, with the tasks of a lake, and creates it if it does not exist. Warns once of each error
 * outside of calls, although pg-boss repeats it every few seconds. After `stop` an unresponsive server is waited for only briefly.
 */
export async function openQueue(url: string, { stop, emit }: { readonly stop: AbortSignal; readonly emit: EmitEvent }) {
  const database = await openQueueDatabase(url, stop)
  const reported = new Set<string>()
  const boss = await openBoss(database, ({ message: reason }) => {
    if (!reported.has(reason)) emit({ kind: 'warning', message: 'The queue reported an error.', details: { reason } })
    reported.add(reason)
  })
  if ((await boss.getQueue(name)) === null) await boss.createQueue(name, queueOptions)
  /** In the data of the tasks that this process has put, so that one query finds them. */
  const plan = randomUUID()

  const isMine = async (settled: Promise<Settled>): Promise<boolean> => (await settled).affected === 1
  /** Returns a task to the queue; the attempt does not count. */
  const putBack = (
    { id, retryCount, retryLimit }: TakenTask['attempt'],
    output: object,
    changes: Pick<Changes, 'startAfter' | 'priority'>,
  ): Promise<boolean> =>
    database.transaction(async (db) => {
      const isOwn = await isMine(boss.fail(name, { id, retryCount }, output, { db }))
      if (!isOwn) return false
      const hasFailed = retryCount >= retryLimit
      if (hasFailed) await boss.retry(name, id, { db })
      await boss.update(name, undefined, { id, retryLimit: retryLimit + 1, ...changes, db })
      return true
    })
  /** The id of a task that is in the queue already. If it waits, it gets what is new. */
  const knownId = async (singletonKey: string, data: object): Promise<string[]> => {
    const { jobs } = await boss.update(name, data, { singletonKey })
    if (jobs.length > 0) return jobs
    const found = await boss.findJobs(name, { key: singletonKey })
    return found
      .sort((a, b) => b.createdOn.getTime() - a.createdOn.getTime())
      .slice(0, 1)
      .map(({ id }) => id)
  }
  return {
    /**
     * Adds tasks at the end, in their order; returns the ids of all of them. A task that waits already gets what is new, such as the hash of a
     * changed module; a task in progress stays as it is.
     */
    put: async (tasks: readonly Task[], leaseSeconds: number): Promise<string[]> => {
      const ids: string[] = []
      for (let at = 0; at < tasks.length; at += putAtOnce) {
        const some = tasks.slice(at, at + putAtOnce)
        const jobs = some.map((task, position) => ({
          id: randomUUID(),
          data: { ...taskJson(task), plan },
          singletonKey: taskKey(task),
          // Earlier tasks of the list have a higher priority.
          priority: -(at + position),
          heartbeatSeconds: leaseSeconds,
        }))
        const added = new Set(await boss.insert(name, jobs, { returnId: true }))
        for (const { id, singletonKey, data } of jobs)
          ids.push(...(added.has(id) ? [id] : await knownId(singletonKey, data)))
      }
      return ids
    },
    /** The next task; null when there is none now. */
    take: async (): Promise<TakenTask | null> => {
      const [job] = await boss.fetch(name, { includeMetadata: true })
      if (job === undefined) return null
      const { id, retryCount, retryLimit, priority, data, heartbeatSeconds } = job
      return {
        attempt: { id, retryCount, retryLimit, priority },
        task: taskOf(data),
        leaseSeconds: heartbeatSeconds ?? 60,
      }
    },
    /** Sends a heartbeat; resolves to false when another worker has the task. */
    beat: ({ id, retryCount }: Attempt) => isMine(boss.touch(name, { id, retryCount })),
    complete: ({ id, retryCount }: Attempt, result: JobResult) =>
      isMine(boss.complete(name, { id, retryCount }, { result })),
    /** Retries the task later, a limited number of times. */
    tryAgain: ({ id, retryCount }: Attempt, error: unknown) =>
      isMine(boss.fail(name, { id, retryCount }, errorOutput(error))),
    giveUp: ({ id, retryCount, retryLimit }: TakenTask['attempt'], error: unknown): Promise<boolean> =>
      database.transaction(async (db) => {
        const output = errorOutput(error)
        const isOwn = await isMine(boss.fail(name, { id, retryCount }, output, { db }))
        if (!isOwn || retryCount >= retryLimit) return isOwn
        // pg-boss would retry it.
        await boss.update(name, undefined, { id, retryLimit: 0, db })
        return isMine(boss.fail(name, id, output, { db }))
      }),
    /** Returns the task to the queue without counting the attempt: for now, or for the end of the postponement. */
    giveBack: (attempt: TakenTask['attempt'], postponed: Postponement | null) =>
      putBack(attempt, postponed === null ? {} : { postponed }, { startAfter: postponed?.resumeAt ?? 0 }),
    /**
     * Returns the task to the end of the queue at once, for other workers, without counting the attempt. At its head, it would keep this worker
     * from the tasks behind it.
     */
    leave: (attempt: TakenTask['attempt'], error: unknown) =>
      putBack(attempt, errorOutput(error), {
        startAfter: 0,
        priority: Math.max(attempt.priority - behindAll, -2_000_000_000),
      }),
    states: async (job: string, ids: readonly string[]): Promise<TaskState[]> => {
      const queued = await boss.findJobs(name, { data: { job }, queued: true })
      const found = new Map(queued.map((each) => [each.id, each]))
      // The others are in progress or have just ended: about one for each worker.
      for (const id of ids.filter((id) => !found.has(id)))
        for (const each of await boss.findJobs(name, { id })) found.set(id, each)
      return ids.flatMap((id) => {
        const each = found.get(id)
        if (each === undefined) return []
        const { state, startAfter, output, data } = each
        return [{ id, state, startAfter, output, task: taskOf(data) }]
      })
    },
    /** Whether workers are active, as of some seconds ago. */
    isTended: async () => ((await boss.getQueue(name))?.activeCount ?? 0) > 0,
    /** Number of tasks that wait or are in progress. */
    open: async (): Promise<number> => {
      // The counts of pg-boss are some seconds old: a worker would end while another one is at the last task.
      const { rows } = await database.executeSql(
        `SELECT count(*)::int AS n FROM ${taskQueue.table} WHERE name = $1 AND state IN ('created', 'retry', 'active')`,
        [name],
      )
      return rows[0].n
    },
    close: async (): Promise<void> => {
      await boss.stop({ graceful: false })
      await database.close()
    },
  }
}

/** The output for an error. Its details may contain integers that JSON does not support. */
function errorOutput(error: unknown): object {
  return {
    error: JSON.parse(
      JSON.stringify(errorParts(error), (_, value) => (typeof value === 'bigint' ? String(value) : value)),
    ),
  }
}

export type WorkSession = Awaited<ReturnType<typeof openWorkSession>>

/**
 * Shared by the concurrent runs of a command that queue tasks.
 *
 * @throws ConfigError `work.catalog` for a lake with its catalog in a file; `work.node`, `work.package`.
 */
export async function openWorkSession(lake: LakeLocation, options: Parameters<typeof openQueue>[1]) {
  const queue = await openQueue(queueUrl(lake), options)
  const turns = new PQueue({ concurrency: 1 })
  return {
    queue,
    /** Runs one step at a time: planning, so that tasks are queued in the order of the jobs, and publishing. */
    inTurn: <T>(step: () => Promise<T>): Promise<T> => turns.add(step),
    close: (): Promise<void> => queue.close().catch(() => undefined),
  }
}
