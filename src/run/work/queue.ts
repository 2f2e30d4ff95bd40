import { type Execute, openQueueDatabase, type Statements, taskQueue } from '../../catalog/catalog.ts'
import { StorageError } from '../../errors.ts'
import { type ErrorParts, errorParts } from '../job/error-parts.ts'
import type { Postponement } from '../job/postponement.ts'
import { lostWork } from '../jobs/fenced-catalog.ts'
import type { JobResult } from '../rows/job-result.ts'
import { type Attempt, openBoss } from './boss.ts'
import { type Task, taskJson, taskKey, taskOf, taskText } from './task.ts'

/** A task that a worker has taken, with the lease in which the worker must send a heartbeat. */
export type TakenTask = { readonly attempt: Attempt; readonly task: Task; readonly leaseSeconds: number }

/** The state of a task. */
export type TaskState = {
  readonly id: string
  readonly task: Task
  readonly state: 'created' | 'retry' | 'active' | 'completed' | 'cancelled' | 'failed'
  /** The earliest time to start the task. */
  readonly startAfter: Date
  readonly output: TaskOutput | null
}

/** The output of an attempt. */
export type TaskOutput = {
  readonly result?: JobResult
  readonly error?: ErrorParts
  readonly postponed?: Postponement
  /** A message of pg-boss, for example about a missed heartbeat. */
  readonly value?: { readonly message?: string }
}

/** The tasks of a lake. */
export type Queue = {
  /**
   * Adds tasks at the end, in their order; returns the ids of all of them. A task that waits already gets what is new, such as the hash of a
   * changed module; a task in progress stays as it is.
   */
  readonly put: (tasks: readonly Task[], leaseSeconds: number) => Promise<string[]>
  /** The next task; null when there is none now. */
  readonly take: () => Promise<TakenTask | null>
  /** Sends a heartbeat within a transaction. Throws `work.lost`. */
  readonly beatWithin: (execute: Execute, attempt: Attempt) => Promise<void>
  /** Completes a task within the transaction of its last commit. Throws `work.lost`. */
  readonly completeWithin: (execute: Execute, attempt: Attempt, result: JobResult) => Promise<void>
  /** Sends a heartbeat; resolves to false when another worker has the task. */
  readonly beat: (attempt: Attempt) => Promise<boolean>
  readonly complete: (attempt: Attempt, result: JobResult) => Promise<boolean>
  /** Retries the task later, a limited number of times. */
  readonly tryAgain: (attempt: Attempt, error: unknown) => Promise<boolean>
  /** Marks the task as failed. */
  readonly giveUp: (attempt: Attempt, error: unknown) => Promise<boolean>
  /** Returns the task to the queue without counting the attempt: for now, or for the end of the postponement. */
  readonly giveBack: (attempt: Attempt, postponed: Postponement | null) => Promise<boolean>
  /**
   * Returns the task to the end of the queue at once, for other workers, without counting the attempt. At its head, it would keep this worker
   * from the tasks behind it.
   */
  readonly leave: (attempt: Attempt, error: unknown) => Promise<boolean>
  readonly states: (ids: readonly string[]) => Promise<TaskState[]>
  /** Whether workers are active, or were active within the last minute. */
  readonly isTended: () => Promise<boolean>
  /** Number of tasks that wait or are in progress. */
  readonly open: () => Promise<number>
  readonly close: () => Promise<void>
}

const { name, table } = taskQueue
/** A task with transient failures is retried for about 15 minutes. */
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
/**
 * A key in the data of a task: the number of attempts that began since one of them committed something or ended in order. The others ended
 * with their worker.
 */
const begun = 'begun'
/** Deaths of workers after which a task has failed. */
const mostDeaths = 5
const putAtOnce = 1_000
const atOnce = new Date(0).toISOString()

/**
 * Opens the queue in the database of a catalog, and creates it if it does not exist. `failed` is called once for each error outside of calls,
 * although pg-boss repeats it every few seconds. After `stop` an unresponsive server is waited for only briefly.
 */
export async function openQueue(
  url: string,
  { stop, failed }: { readonly stop: AbortSignal; readonly failed: (error: Error) => void },
): Promise<Queue> {
  const database = await openQueueDatabase(url, stop)
  const reported = new Set<string>()
  const boss = await openBoss(database, (error) => {
    if (!reported.has(error.message)) failed(error)
    reported.add(error.message)
  })
  if ((await boss.getQueue(name)) === null) await boss.createQueue(name, queueOptions)

  const isMine = async (settled: Promise<{ readonly affected: number }>): Promise<boolean> =>
    (await settled).affected === 1
  const orLost = async (isOwn: Promise<boolean>, { id }: Attempt): Promise<void> => {
    if (!(await isOwn)) throw lostWork(id)
  }
  const endAttempt = (db: Statements, { id }: Attempt): Promise<unknown> =>
    db.executeSql(`UPDATE ${table} SET data = data - '${begun}' WHERE name = $1 AND id = $2 AND data ? '${begun}'`, [
      name,
      id,
    ])
  const putBack = (attempt: Attempt, output: object, startAfter: string): Promise<boolean> =>
    database.transaction(async (db) => {
      const { id } = attempt
      await endAttempt(db, attempt)
      await db.executeSql(`UPDATE ${table} SET retry_limit = retry_limit + 1 WHERE name = $1 AND id = $2`, [name, id])
      const isOwn = await isMine(boss.fail(name, attempt, output, { db }))
      if (isOwn)
        await db.executeSql(`UPDATE ${table} SET start_after = $3 WHERE name = $1 AND id = $2`, [name, id, startAfter])
      return isOwn
    })
  const giveUp: Queue['giveUp'] = (attempt, error) =>
    database.transaction(async (db) => {
      await endAttempt(db, attempt)
      await db.executeSql(`UPDATE ${table} SET retry_limit = retry_count WHERE name = $1 AND id = $2`, [
        name,
        attempt.id,
      ])
      return isMine(boss.fail(name, attempt, errorOutput(error), { db }))
    })
  const putLast = ({ id }: Attempt): Promise<unknown> =>
    database.executeSql(
      `UPDATE ${table} SET priority = (SELECT min(priority) - 1 FROM ${table} WHERE name = $1 AND state IN ('created', 'retry'))
       WHERE name = $1 AND id = $2 AND state = 'retry'`,
      [name, id],
    )
  return {
    put: async (tasks, leaseSeconds) => {
      const ids: string[] = []
      for (let at = 0; at < tasks.length; at += putAtOnce) {
        const some = tasks.slice(at, at + putAtOnce)
        const jobs = some.map((task, position) => ({
          data: taskJson(task),
          singletonKey: taskKey(task),
          // Earlier tasks of the list have a higher priority.
          priority: -(at + position),
          heartbeatSeconds: leaseSeconds,
        }))
        await boss.insert(name, jobs)
        await database.executeSql(
          `UPDATE ${table} SET data = new.data FROM jsonb_to_recordset($2::jsonb) AS new ("singletonKey" text, data jsonb)
           WHERE name = $1 AND singleton_key = new."singletonKey" AND state IN ('created', 'retry') AND ${table}.data - '${begun}' <> new.data`,
          [name, JSON.stringify(jobs)],
        )
        const { rows } = await database.executeSql(
          `SELECT DISTINCT ON (singleton_key) id FROM ${table} WHERE name = $1 AND singleton_key = ANY($2)
           ORDER BY singleton_key, created_on DESC`,
          [name, jobs.map(({ singletonKey }) => singletonKey)],
        )
        ids.push(...rows.map(({ id }) => id))
      }
      return ids
    },
    take: async () => {
      for (;;) {
        const [job] = await boss.fetch(name)
        if (job === undefined) return null
        const { id, retryCount, data, heartbeatSeconds } = job
        const attempt = { id, retryCount }
        const { rows } = await database.executeSql(
          `UPDATE ${table} SET data = data || jsonb_build_object('${begun}', coalesce((data->>'${begun}')::int, 0) + 1)
           WHERE name = $1 AND id = $2 RETURNING (data->>'${begun}')::int AS begun`,
          [name, id],
        )
        const task = taskOf(data)
        if ((rows[0]?.begun ?? 0) <= mostDeaths) return { attempt, task, leaseSeconds: heartbeatSeconds ?? 60 }
        await giveUp(attempt, deadly(task))
      }
    },
    beatWithin: async (execute, attempt) => {
      const db = databaseOf(execute)
      await orLost(isMine(boss.touch(name, attempt, { db })), attempt)
      await endAttempt(db, attempt)
    },
    completeWithin: (execute, attempt, result) =>
      orLost(isMine(boss.complete(name, attempt, { result }, { db: databaseOf(execute) })), attempt),
    beat: (attempt) => isMine(boss.touch(name, attempt)),
    complete: (attempt, result) => isMine(boss.complete(name, attempt, { result })),
    tryAgain: (attempt, error) =>
      database.transaction(async (db) => {
        await endAttempt(db, attempt)
        return isMine(boss.fail(name, attempt, errorOutput(error), { db }))
      }),
    giveUp,
    giveBack: (attempt, postponed) =>
      postponed === null ? putBack(attempt, {}, atOnce) : putBack(attempt, { postponed }, postponed.resumeAt),
    leave: async (attempt, error) => {
      const isOwn = await putBack(attempt, errorOutput(error), atOnce)
      if (isOwn) await putLast(attempt).catch(() => undefined)
      return isOwn
    },
    states: async (ids) => {
      const { rows } = await database.executeSql(
        `SELECT id, data AS task, state, start_after AS "startAfter", output FROM ${table}
         WHERE name = $1 AND id = ANY($2) ORDER BY priority DESC`,
        [name, [...ids]],
      )
      return rows.map(({ task, ...row }) => ({ ...row, task: taskOf(task) })) as TaskState[]
    },
    isTended: async () => {
      const { rows } = await database.executeSql(
        `SELECT EXISTS (SELECT FROM ${table} WHERE name = $1
           AND (state = 'active' OR greatest(started_on, completed_on) > now() - interval '1 minute')) AS is`,
        [name],
      )
      return rows[0].is
    },
    open: async () => {
      const { rows } = await database.executeSql(
        `SELECT count(*)::int AS n FROM ${table} WHERE name = $1 AND state IN ('created', 'retry', 'active')`,
        [name],
      )
      return rows[0].n
    },
    close: async () => {
      await boss.stop({ graceful: false })
      await database.close()
    },
  }
}

/** A task that ends its worker, for example because it needs more memory than a worker has, would otherwise end one worker after the other. */
function deadly(task: Task): StorageError {
  return new StorageError(`${taskText(task)}: ${mostDeaths} workers ended while they did this task.`, {
    code: 'work.deaths',
    details: { job: task.job },
    hint: 'The other tasks continue. Look why the workers ended (memory limit, kernel log, the code of a module), then run the job again: it resumes from the last commit.',
  })
}

function databaseOf(execute: Execute): Statements {
  return { executeSql: async (sql, values) => ({ rows: await execute(sql, values) }) }
}

/** The output for an error. Its details may contain integers that JSON does not support. */
function errorOutput(error: unknown): object {
  return {
    error: JSON.parse(
      JSON.stringify(errorParts(error), (_, value) => (typeof value === 'bigint' ? String(value) : value)),
    ),
  }
}
