import { setTimeout as wait } from 'node:timers/promises'
import { CatalogError } from '../../errors.ts'
import { isLost } from './failure.ts'
import type { Server } from './server.ts'

/**
 * Whether a transaction took place whose connection broke while it was committed: the server remembers it by its number, also when it has
 * been started again. One that it still works on is waited for.
 *
 * @throws CatalogError `catalog.unknown-outcome` when the server does not say so within `waitMs`.
 */
export async function outcomeOf(server: Server, transaction: string, waitMs: number): Promise<'committed' | 'aborted'> {
  const endMs = performance.now() + waitMs
  let last: unknown
  for (let pauseMs = 50; performance.now() < endMs; pauseMs = Math.min(2 * pauseMs, 1_000)) {
    try {
      const { rows } = await server.pool.query('SELECT pg_xact_status($1::xid8) AS status', [transaction])
      const status: string | null = rows[0].status
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
