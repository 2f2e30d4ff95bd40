import { setTimeout as wait } from 'node:timers/promises'
import { CatalogError } from '../../errors.ts'
import { abortLater } from '../../lib/abort-later.ts'
import { hurriedMs } from './deadline.ts'
import { isLost } from './failure.ts'
import type { Server } from './server.ts'

const statusSql = `SELECT pg_xact_status($1::xid8) AS status,
  (SELECT pg_terminate_backend(pid) FROM pg_stat_activity
   WHERE datname = current_database() AND backend_xid = $1::xid8::xid AND state LIKE 'idle in transaction%') AS ended`

/**
 * Whether a transaction was committed although its connection broke during the commit. The server remembers transactions by number, even
 * after a restart. If the transaction is still active, this waits for it. If its session only waits for the lost connection, this ends it.
 *
 * @throws CatalogError `catalog.unknown-outcome` when the server does not answer within `waitMs`, or soon after `stop`.
 */
export async function outcomeOf(
  server: Server,
  transaction: string,
  { waitMs, stop }: { readonly waitMs: number; readonly stop?: AbortSignal | undefined },
): Promise<'committed' | 'aborted'> {
  const giveUp = stop === undefined ? undefined : abortLater(stop, hurriedMs)
  const endMs = performance.now() + waitMs
  let last: unknown
  for (let pauseMs = 50; performance.now() < endMs && !giveUp?.aborted; pauseMs = Math.min(2 * pauseMs, 1_000)) {
    try {
      // Uses a new connection each time: pooled connections may be broken, too.
      const [row] = await server.askOnce(statusSql, [transaction], stop)
      const status: string | null = row?.['status']
      if (status === 'committed' || status === 'aborted') return status
      last = status
      if (status === null) break
    } catch (error) {
      last = error
      if (!isLost(error)) break
    }
    await wait(pauseMs)
  }
  throw new CatalogError(
    'The connection to PostgreSQL was lost during a commit, and the outcome of the commit is unknown.',
    {
      code: 'catalog.unknown-outcome',
      details: { catalog: server.name, transaction, reason: last instanceof Error ? last.message : String(last) },
      hint: 'The commit was applied completely or not at all. Start again when the server answers: the run resumes from the last commit.',
      retryable: true,
    },
  )
}
