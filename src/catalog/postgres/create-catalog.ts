import type { PoolClient } from 'pg'
import { ConfigError } from '../../errors.ts'
import { createRateLimitTable } from '../runs/shared-limits.ts'
import { inTransaction, type Session } from '../session/session.ts'
import { connected } from './connected.ts'
import { lakeKey } from './lake-lock.ts'
import { createSession } from './postgres-session.ts'
import type { Server } from './server.ts'

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
