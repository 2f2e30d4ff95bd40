import type { PoolClient } from 'pg'
import { pause } from '../../lib/pause.ts'
import { connected } from './connected.ts'
import { makeServer, openServer } from './server.ts'
import { goodbyeMs } from './watch-answers.ts'

/** Executes statements of the queue library. */
export type Statements = { readonly executeSql: (sql: string, values?: unknown[]) => Promise<{ rows: any[] }> }

/** Access of the queue library to its tables in the database of the catalog, over connections that are monitored like all others. */
export type QueueDatabase = Statements & {
  /** Runs `work` in a transaction. Rolls back if it throws or resolves to false. */
  readonly transaction: (work: (within: Statements) => Promise<boolean>) => Promise<boolean>
  readonly close: () => Promise<void>
}

/** It does not connect yet. `stop` shortens the wait for a server that does not answer. */
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
    // Does not wait for a connection attempt to a server that does not answer.
    close: () => Promise.race([server.pool.end(), pause(goodbyeMs)]),
  }
}
