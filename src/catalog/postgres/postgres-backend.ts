import type { Backend, WaitOptions } from '../session/backend.ts'
import type { Session } from '../session/session.ts'
import { settleAll } from '../session/settle-all.ts'
import { latestSnapshot } from '../session/snapshot.ts'
import { advisoryLocks } from './advisory-locks.ts'
import { connected } from './connected.ts'
import { freeLake, takeLake } from './lake-lock.ts'
import { createSession } from './postgres-session.ts'
import type { Server } from './server.ts'

/**
 * The catalog in a PostgreSQL database of its own. A read is a snapshot and never waits for a lock. A write holds an advisory lock, the
 * catalog lock. The lock belongs to the connection of the write's transactions, so that no transaction can outlive the lock. `stop`
 * shortens the wait for a server that does not answer.
 */
export function openPostgres(
  server: Server,
  { waitMs, stop }: { readonly waitMs: number; readonly stop?: AbortSignal | undefined },
): Backend {
  const { name } = server
  const locks = advisoryLocks(server, stop)
  /** Writes of this process run one after another. The server queues those of other processes. */
  let turn: Promise<unknown> = Promise.resolve()

  const read: Backend['read'] = (work) =>
    connected(
      server,
      async (client) => {
        const begun = client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
        begun.catch(() => undefined)
        const result = await work(createSession(server, client, { waitMs, stop }))
        await begun
        client.query('COMMIT').catch(() => undefined)
        return result
      },
      stop,
    )
  const writeNow = <T>(work: (session: Session) => Promise<T>, waiting: WaitOptions) =>
    connected(
      server,
      async (client) => {
        // A run that has lost its lock may have been declared dead. Under the catalog lock this cannot happen.
        const steps = [takeLake(server, client, { waitMs, ...waiting })]
        if (waiting.locks !== 'may be lost') steps.push(locks.verifyHeld(client))
        const taken = settleAll(steps).then(() => undefined)
        taken.catch(() => undefined)
        let freed: Promise<void> | undefined
        const free = () => (freed ??= freeLake(client).catch(() => undefined))
        if (waiting.begins !== 'with a query') await taken
        const result = await work(createSession(server, client, { waitMs, stop, taken, free }))
        await taken
        await free()
        return result
      },
      stop,
    )
  const write: Backend['write'] = (work, waiting = {}) => {
    const mine = turn.then(() => writeNow(work, waiting))
    turn = mine.catch(() => undefined)
    return mine
  }
  return {
    name,
    read,
    write,
    // Readers query the catalog itself, so there is nothing to copy.
    publish: (work, waiting) =>
      write(async (session) => {
        const result = await work(session)
        return { result, identity: await stateOf(session) }
      }, waiting),
    published: () => read(stateOf),
    locks,
    shared: {
      query: (sql, parameters = []) =>
        connected(server, async (client) => (await client.query(sql, [...parameters])).rows, stop),
    },
  }
}

/** Identifies the state of the catalog that readers see now. */
async function stateOf(session: Session): Promise<string> {
  const { lakeId, snapshotId } = await latestSnapshot(session)
  return `${lakeId}.${snapshotId}`
}
