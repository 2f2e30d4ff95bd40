import { mkdirSync } from 'node:fs'
import { DuckDBInstance } from '@duckdb/node-api'
import { createSession } from '../../src/catalog/duckdb/duckdb-session.ts'
import type { CatalogEndpoint } from '../../src/catalog/place.ts'
import { type Backend, inTransaction, type Locks, type Session } from '../../src/catalog/session.ts'

type MemoryBackend = {
  readonly backend: Backend
  /** Queries the copy that was published last. */
  readonly published: (sql: string) => Promise<Record<string, any>[]>
  readonly close: () => void
}

/** The catalogs of this process, by URL. */
const opened = new Map<string, MemoryBackend>()

/** The entry of the registry for catalogs without files, in the memory of this process. */
export function memoryCatalog(url: string): CatalogEndpoint {
  return {
    url,
    inFolder: false,
    publishesCopy: true,
    exists: async () => opened.has(url),
    create: async ({ lake }, fill) => {
      mkdirSync(lake, { recursive: true })
      opened.set(url, await createMemoryBackend(fill))
    },
    record: async () => undefined,
    open: async () => existing(url).backend,
  }
}

export function publishedInMemory(url: string, sql: string): Promise<Record<string, any>[]> {
  return existing(url).published(sql)
}

export function closeMemoryCatalogs(): void {
  for (const { close } of opened.values()) close()
}

function existing(url: string): MemoryBackend {
  const found = opened.get(url)
  if (found === undefined) throw new Error(`There is no catalog at ${url}.`)
  return found
}

async function createMemoryBackend(fill: (session: Session) => Promise<void>): Promise<MemoryBackend> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  await connection.run("ATTACH ':memory:' AS lake")
  await connection.run('USE lake')
  const session: Session = { ...createSession(connection, async () => null), fold: async () => undefined }
  await inTransaction(session, () => fill(session))
  let turn: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: (session: Session) => Promise<T>): Promise<T> => {
    const mine = turn.then(() => work(session))
    turn = mine.catch(() => undefined)
    return mine
  }
  let copies = 0
  const backend: Backend = {
    name: 'memory',
    read: inTurn,
    write: inTurn,
    publish: (work) =>
      inTurn(async () => {
        const result = await work(session)
        await connection.run(`ATTACH ':memory:' AS copy${copies + 1}`)
        await connection.run(`COPY FROM DATABASE lake TO copy${copies + 1}`)
        return { result, identity: String(++copies) }
      }),
    published: async () => (copies === 0 ? null : String(copies)),
    locks: memoryLocks(),
    shared: null,
  }
  const published = (sql: string) =>
    inTurn(async () => {
      await connection.run(`USE copy${copies}`)
      const rows = await session.rows(sql)
      await connection.run('USE lake')
      return rows
    })
  const close = () => {
    connection.closeSync()
    instance.closeSync()
  }
  return { backend, published, close }
}

function memoryLocks(): Locks {
  const held = new Set<string>()
  return {
    reach: 'machine',
    take: async (name) => {
      held.add(name)
      return { release: async () => void held.delete(name) }
    },
    isHeld: async (name) => held.has(name),
    held: async () => [...held],
    removeFree: async () => undefined,
  }
}
