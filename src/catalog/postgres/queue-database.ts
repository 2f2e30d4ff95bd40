import type { PoolClient } from 'pg'
import { pause } from '../../lib/pause.ts'
import { connected } from './connected.ts'
import { makeServer, openServer } from './server.ts'
import { goodbyeMs } from './watch-answers.ts'

/** What carries out a statement of another program. */
export type Statements = { readonly executeSql: (sql: string, values?: unknown[]) => Promise<{ rows: any[] }> }

/** The database of a catalog for the program of the queue, whose tables are beside it: over connections that are watched as all others are. */
export type QueueDatabase = Statements & {
  /** Does all of a work, or nothing where it fails or resolves to false. */
  readonly transaction: (work: (within: Statements) => Promise<boolean>) => Promise<boolean>
  readonly close: () => Promise<void>
}

/** Nothing is asked yet. After `stop` a server that says nothing is waited for only briefly. */
export async function openQueueDatabase(url: string, stop?: AbortSignal): Promise<QueueDatabase> {
  const { silence } = await openServer(url)
  const server = await makeServer(url, { isOurs: false, silence })
  const on = (client: PoolClient): Statements => ({ executeSql: (sql, values) => client.query(sql, values) })
  return {
    executeSql: (sql, values) => connected(server, (client) => on(client).executeSql(sql, values), stop),
    transaction: (work) =>
      connected(
        server,
        async (client) => {
          await client.query('BEGIN')
          const isDone = await work(on(client))
          await client.query(isDone ? 'COMMIT' : 'ROLLBACK')
          return isDone
        },
        stop,
      ),
    // A connection that is still being made to a server that says nothing is not waited for.
    close: () => Promise.race([server.pool.end(), pause(goodbyeMs)]),
  }
}
