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
 * Whether a transaction took place whose connection broke while it was committed: the server remembers it by its number, also when it has
 * been started again. One that it still works on is waited for; one that only waits for a connection that is gone is ended.
 *
 * @throws CatalogError `catalog.unknown-outcome` when the server does not say so within `waitMs`, or soon after `stop`.
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
      // Each time over a connection of its own: one of the pool may be as dead as the one that broke.
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
    'The connection to PostgreSQL broke during a commit, and nobody can say whether it took place.',
    {
      code: 'catalog.unknown-outcome',
      details: { catalog: server.name, transaction, reason: last instanceof Error ? last.message : String(last) },
      hint: 'It took place wholly or not at all. Start again when the server answers: what is committed is left out.',
      retryable: true,
    },
  )
}
