import type { SharedSql } from '../session/shared-sql.ts'

/** Where the tasks of workers are: the queue's program makes the table, beside the catalog. */
export const taskQueue = { name: 'chainlake', table: 'pgboss.job' } as const

/** Tasks that workers have; those that were done or given up are kept for some days. */
export type TaskCounts = {
  readonly waiting: number
  readonly underWay: number
  /** They failed, and wait for another try. */
  readonly again: number
  readonly done: number
  readonly givenUp: number
}

/** Null where nobody has queued any. */
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
