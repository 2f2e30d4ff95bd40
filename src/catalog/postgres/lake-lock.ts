import type { PoolClient } from 'pg'
import { LockedError } from '../../errors.ts'
import { waitingOutside } from '../../lib/outside-waits.ts'
import type { WaitOptions } from '../session/backend.ts'
import { sqlState } from './failure.ts'
import { lockKey } from './lock-key.ts'
import type { Server } from './server.ts'

/** Key of the catalog lock: the advisory lock that the process holds that writes to the lake. */
export const lakeKey = lockKey('lake')

/**
 * Takes the catalog lock for a connection, until `freeLake` or the end of the connection. The server queues waiting processes in order of
 * arrival. The connection may send further queries meanwhile: the server answers them as soon as the lock is free.
 *
 * @throws LockedError `catalog.locked` when the lock is not free within `waitMs` or before `stop`.
 */
export async function takeLake(
  server: Server,
  client: PoolClient,
  { waitMs, stop }: WaitOptions & { readonly waitMs: number },
): Promise<void> {
  const startedMs = performance.now()
  if (stop?.aborted) {
    const { rows } = await client.query(`SELECT pg_try_advisory_lock(${lakeKey}) AS got`)
    if (rows[0].got !== true) throw held(server, startedMs)
    return
  }
  const { processID } = client as PoolClient & { readonly processID: number }
  const cancel = () => void server.askOnce('SELECT pg_cancel_backend($1)', [processID], stop).catch(() => undefined)
  stop?.addEventListener('abort', cancel, { once: true })
  try {
    // One message is one transaction: if the lock is not taken, the setting is rolled back, too.
    const taking = () =>
      client.query(
        `SET lock_timeout = ${Math.max(1, Math.round(waitMs))}; SELECT pg_advisory_lock(${lakeKey}); RESET lock_timeout`,
      )
    await waitingOutside(taking)
  } catch (error) {
    throw ['55P03', '57014'].includes(sqlState(error) ?? '') ? held(server, startedMs, error) : error
  } finally {
    stop?.removeEventListener('abort', cancel)
  }
}

export async function freeLake(client: PoolClient): Promise<void> {
  await client.query(`SELECT pg_advisory_unlock(${lakeKey})`)
}

function held(server: Server, startedMs: number, cause?: unknown): LockedError {
  return new LockedError('Another process holds the catalog lock.', {
    details: { catalog: server.name, 'waited for (s)': Math.round((performance.now() - startedMs) / 1000) },
    hint: 'Wait until that process ends, or end it. To find its connection, query pg_locks (locktype advisory) and pg_stat_activity of the database.',
    retryable: true,
    cause,
  })
}
