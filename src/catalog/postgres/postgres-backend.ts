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
 * The catalog in a database of PostgreSQL, which is the lake's own. A read is a snapshot and waits for nobody. Who writes holds an advisory
 * lock on the lake for as long as the work takes: it belongs to the connection that the work's transactions are on, so that none of them can
 * outlive it. After `stop` a server that says nothing is waited for only briefly.
 */
export function openPostgres(
  server: Server,
  { waitMs, stop }: { readonly waitMs: number; readonly stop?: AbortSignal | undefined },
): Backend {
  const { name } = server
  const locks = advisoryLocks(server, stop)
  /** Works of this process come in their order; others are waited for at the server. */
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
        // Whose locks are gone may have been taken for dead since; until the lake is let go nobody can be.
        const steps = [takeLake(server, client, { waitMs, ...waiting })]
        if (waiting.locks !== 'may be lost') steps.push(locks.verifyHeld(client))
        const taken = settleAll(steps).then(() => undefined)
        taken.catch(() => undefined)
        let freed: Promise<void> | undefined
        const free = () => (freed ??= freeLake(client).catch(() => undefined))
        if (waiting.begins !== 'by asking') await taken
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
    // Readers ask the catalog itself: nothing is copied.
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

/** What readers find who ask now. */
async function stateOf(session: Session): Promise<string> {
  const { lakeId, snapshotId } = await latestSnapshot(session)
  return `${lakeId}.${snapshotId}`
}
