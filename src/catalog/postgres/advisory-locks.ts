import type { Client, ClientBase } from 'pg'
import { CatalogError } from '../../errors.ts'
import type { Lock, Locks } from '../session/backend.ts'
import { connected } from './connected.ts'
import { isSilent } from './deadline.ts'
import { serverFailure } from './failure.ts'
import { lockKey } from './lock-key.ts'
import type { Server } from './server.ts'
import { endClient } from './watch-answers.ts'

/** Session-level advisory locks. The server frees them when their connection ends. */
type AdvisoryLocks = Locks & {
  /**
   * Throws if this process has lost one of its locks. Call it under the catalog lock.
   *
   * @throws CatalogError `catalog.lock-lost`.
   */
  readonly verifyHeld: (client: ClientBase) => Promise<void>
}

/** The lock key of a row in `pg_locks`. */
const keySql = '((classid::bigint << 32) | objid::bigint)'
const ownSql =
  "locktype = 'advisory' AND objsubid = 1 AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"

/** All locks of this process belong to one connection, which stays open while it holds locks. */
export function advisoryLocks(server: Server, stop: AbortSignal | undefined): AdvisoryLocks {
  /** Names by keys. */
  const taken = new Map<bigint, string>()
  let holder: { readonly client: Client; readonly pid: number } | null = null
  let isLost = false

  const connectHolder = async () => {
    const client = await server.connect(stop)
    client.on('error', () => {
      isLost = taken.size > 0
    })
    client.on('end', () => {
      isLost = taken.size > 0
    })
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid')
    return { client, pid: rows[0].pid as number }
  }
  const query = (sql: string, values: unknown[] = []) =>
    connected(server, async (client) => (await client.query(sql, values)).rows, stop)
  const lost = () =>
    new CatalogError('The PostgreSQL connection that held the locks of this run was lost.', {
      code: 'catalog.lock-lost',
      details: { catalog: server.name, locks: [...taken.values()].join(', ') },
      hint: 'Nothing was written since then, because another process may have taken the streams. Start again: the run resumes from the last commit.',
    })

  const held = async () => {
    const rows = await query('SELECT name FROM chainlake.held_lock ORDER BY name')
    const keys = new Set(
      (await query(`SELECT ${keySql}::text AS key FROM pg_locks WHERE ${ownSql}`)).map(({ key }) => key),
    )
    return rows.map(({ name }) => name as string).filter((name) => keys.has(String(lockKey(name))))
  }

  return {
    reach: 'everywhere',
    take: async (name) => {
      if (isLost) throw lost()
      holder ??= await connectHolder()
      const { client } = holder
      const key = lockKey(name)
      try {
        const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS got', [key])
        if (rows[0].got !== true) throw new Error(`Another process holds the new lock ${name}.`)
        taken.set(key, name)
        await client.query('INSERT INTO chainlake.held_lock VALUES ($1) ON CONFLICT DO NOTHING', [name])
      } catch (error) {
        throw serverFailure(error, server.name)
      }
      return { release: () => release(key) } satisfies Lock
    },
    isHeld: async (name) => {
      const rows = await query(`SELECT 1 FROM pg_locks WHERE ${ownSql} AND ${keySql} = $1`, [lockKey(name)])
      return rows.length > 0
    },
    held,
    removeFree: async () => {
      await query('DELETE FROM chainlake.held_lock WHERE name <> ALL($1)', [await held()])
    },
    verifyHeld: async (client) => {
      if (taken.size === 0 || holder === null) return
      if (isLost) throw lost()
      const keys = [...taken.keys()].join(', ')
      const { rows } = await client.query(
        `SELECT count(*) AS n FROM pg_locks WHERE ${ownSql} AND pid = ${holder.pid} AND ${keySql} IN (${keys})`,
      )
      if (rows[0].n === taken.size) return
      isLost = true
      throw lost()
    },
  }

  async function release(key: bigint): Promise<void> {
    const name = taken.get(key)
    if (name === undefined || holder === null) return
    taken.delete(key)
    const { client } = holder
    // The server also frees locks when the connection ends. Their names stay in the table until another process removes them.
    if (!isLost && !(stop?.aborted && isSilent(server))) {
      await client.query('DELETE FROM chainlake.held_lock WHERE name = $1', [name]).catch(() => undefined)
      await client.query('SELECT pg_advisory_unlock($1)', [key]).catch(() => undefined)
    }
    if (taken.size > 0) return
    holder = null
    isLost = false
    await endClient(client).catch(() => undefined)
  }
}
