import type { PoolClient } from 'pg'
import { LockedError } from '../../errors.ts'
import { waitingOutside } from '../../lib/outside-waits.ts'
import type { WaitOptions } from '../session/backend.ts'
import { sqlState } from './failure.ts'
import { lockKey } from './lock-key.ts'
import type { Server } from './server.ts'

/** Key of the advisory lock that who writes the lake holds. */
export const lakeKey = lockKey('lake')

/**
 * Takes the lake for a connection, until `freeLake` or the connection's end. Others are waited for, in the order in which they came: at the
 * server, so that what is asked on the connection meanwhile is answered as soon as the lake is free. It has been asked for when this returns.
 *
 * @throws LockedError `catalog.locked` when nobody let go within `waitMs`, or before `stop`.
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
    // One message, and so one transaction: where the lock is not taken the setting is what it was, too.
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
  return new LockedError('Another process holds the catalog of the lake.', {
    details: { catalog: server.name, 'waited for (s)': Math.round((performance.now() - startedMs) / 1000) },
    hint: 'Wait until it ends, or end it: pg_locks (locktype advisory) and pg_stat_activity of the database say which connection it is.',
    retryable: true,
    cause,
  })
}
