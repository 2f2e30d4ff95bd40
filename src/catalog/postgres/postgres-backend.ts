import type { PoolClient } from 'pg'
import { ConfigError } from '../../errors.ts'
import { pause } from '../../lib/wait.ts'
import { createRateLimitTable } from '../limits.ts'
import { type Backend, inTransaction, latestSnapshot, type Session, settleAll, type WaitOptions } from '../session.ts'
import { advisoryLocks, connected, freeLake, lakeKey, takeLake } from './locks.ts'
import { createSession } from './postgres-session.ts'
import { goodbyeMs, makeServer, openServer, type Server } from './server.ts'

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

/** What a catalog in PostgreSQL needs besides its tables: names of locks, rate limits, row ids and indexes. */
const additions = [
  'CREATE TABLE chainlake.held_lock(name VARCHAR COLLATE "C" PRIMARY KEY)',
  createRateLimitTable,
  'ALTER TABLE chainlake.file ADD COLUMN rowid BIGINT GENERATED ALWAYS AS IDENTITY',
  'CREATE INDEX ON chainlake.file(data_file_id)',
  'CREATE INDEX ON chainlake.coverage(stream)',
  'CREATE INDEX ON chainlake.staged_part(observation_id)',
  'CREATE INDEX ON public.ducklake_data_file(table_id, begin_snapshot)',
  'CREATE INDEX ON public.ducklake_file_column_stats(data_file_id)',
  'CREATE INDEX ON public.ducklake_file_column_stats(table_id, column_id)',
  'CREATE INDEX ON public.ducklake_file_partition_value(data_file_id)',
]

/**
 * Creates a catalog in a database without one and calls `fill` to fill it, in one transaction. If another process was faster, its catalog
 * stays.
 *
 * @throws ConfigError `catalog.other-tables` when the database contains another DuckLake, or another schema named chainlake.
 */
export async function createPostgresCatalog(
  server: Server,
  fill: (session: Session) => Promise<void>,
  stop?: AbortSignal,
): Promise<void> {
  await connected(
    server,
    async (client) => {
      const session = createSession(server, client, { stop })
      await inTransaction(session, async () => {
        await session.run(`SELECT pg_advisory_xact_lock(${lakeKey})`)
        if (await holdsCatalog(server, client)) return
        await fill(session)
        for (const sql of additions) await session.run(sql)
      })
    },
    stop,
  )
}

/**
 * Whether the database contains a catalog.
 *
 * @throws ConfigError `catalog.other-tables`.
 */
export async function hasPostgresCatalog(server: Server, stop?: AbortSignal): Promise<boolean> {
  return connected(server, (client) => holdsCatalog(server, client), stop)
}

async function holdsCatalog(server: Server, client: PoolClient): Promise<boolean> {
  // Queries the system tables: name lookups of a connection may be older than the commit of another process.
  const { rows } = await client.query(
    `SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname = 'public' AND tablename = 'ducklake_metadata') AS ducklake,
       EXISTS (SELECT FROM pg_tables WHERE schemaname = 'chainlake' AND tablename = 'version') AS own,
       EXISTS (SELECT FROM pg_namespace WHERE nspname = 'chainlake') AS named`,
  )
  const { ducklake, own, named } = rows[0]
  if (ducklake === own && own === named) return own
  throw new ConfigError('The database contains another DuckLake, or another schema named chainlake.', {
    code: 'catalog.other-tables',
    details: { catalog: server.name },
    hint: 'Nothing was changed. A lake needs its own database: create one with createdb.',
  })
}

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
