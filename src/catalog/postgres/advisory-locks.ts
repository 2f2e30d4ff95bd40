import type { Client, ClientBase } from 'pg'
import { CatalogError } from '../../errors.ts'
import type { Lock, Locks } from '../session/backend.ts'
import { connected } from './connected.ts'
import { isSilent } from './deadline.ts'
import { serverFailure } from './failure.ts'
import { lockKey } from './lock-key.ts'
import type { Server } from './server.ts'
import { endClient } from './watch-answers.ts'

/** Locks of sessions, which the server frees when their connection ends. */
export type AdvisoryLocks = Locks & {
  /**
   * Refuses a process that has lost locks that it took. Call it while the lake is taken.
   *
   * @throws CatalogError `catalog.lock-lost`.
   */
  readonly verifyHeld: (client: ClientBase) => Promise<void>
}

/** Key of a row of `pg_locks`. */
const keySql = '((classid::bigint << 32) | objid::bigint)'
const ownSql =
  "locktype = 'advisory' AND objsubid = 1 AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"

/** The locks that this process takes are those of one connection, which is open as long as it holds some. */
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
  const ask = (sql: string, values: unknown[] = []) =>
    connected(server, async (client) => (await client.query(sql, values)).rows, stop)
  const lost = () =>
    new CatalogError('The connection to PostgreSQL broke that held the locks of this run.', {
      code: 'catalog.lock-lost',
      details: { catalog: server.name, locks: [...taken.values()].join(', ') },
      hint: 'Nothing was written since: another process may have taken its streams. Start again: what is committed is left out.',
    })

  const held = async () => {
    const rows = await ask('SELECT name FROM chainlake.held_lock ORDER BY name')
    const keys = new Set(
      (await ask(`SELECT ${keySql}::text AS key FROM pg_locks WHERE ${ownSql}`)).map(({ key }) => key),
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
        if (rows[0].got !== true) throw new Error(`Somebody holds the new lock ${name}.`)
        taken.set(key, name)
        await client.query('INSERT INTO chainlake.held_lock VALUES ($1) ON CONFLICT DO NOTHING', [name])
      } catch (error) {
        throw serverFailure(error, server.name)
      }
      return { release: () => release(key) } satisfies Lock
    },
    isHeld: async (name) => {
      const rows = await ask(`SELECT 1 FROM pg_locks WHERE ${ownSql} AND ${keySql} = $1`, [lockKey(name)])
      return rows.length > 0
    },
    held,
    removeFree: async () => {
      await ask('DELETE FROM chainlake.held_lock WHERE name <> ALL($1)', [await held()])
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
    // With the connection the server frees them, too; only the names stay, for others to remove.
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
