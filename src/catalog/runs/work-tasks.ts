import type { SharedSql } from '../session/shared-sql.ts'

/** The queue of worker tasks. pg-boss creates its tables in the database of the catalog. */
export const taskQueue = { name: 'chainlake', table: 'pgboss.job' } as const

/** Number of tasks by state. Completed and abandoned tasks are kept for some days. */
export type TaskCounts = {
  readonly waiting: number
  readonly underWay: number
  /** Failed tasks that wait for a retry. */
  readonly again: number
  readonly done: number
  readonly givenUp: number
}

/** Null if no tasks were ever queued. */
export async function countTasks({ query }: SharedSql): Promise<TaskCounts | null> {
  const [queue] = await query(`SELECT to_regclass('${taskQueue.table}') IS NOT NULL AS exists`)
  if (queue?.['exists'] !== true) return null
  const rows = await query(
    `SELECT state::text AS state, count(*)::int AS n FROM ${taskQueue.table} WHERE name = $1 GROUP BY 1`,
    [taskQueue.name],
  )
  const counts = new Map(rows.map((row) => [row['state'] as string, row['n'] as number]))
  const of = (state: string): number => counts.get(state) ?? 0
  return {
    waiting: of('created'),
    underWay: of('active'),
    again: of('retry'),
    done: of('completed'),
    givenUp: of('failed') + of('cancelled'),
  }
}
