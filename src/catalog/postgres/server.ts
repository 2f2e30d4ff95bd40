import type { Client, ClientConfig, CustomTypesConfig, Pool } from 'pg'
import { ConfigError } from '../../errors.ts'
import { loadPackage, type MissingPackage } from '../../lib/files/load-package.ts'
import { safeNumber } from '../session/safe-number.ts'
import { lateConnection, patienceOf, type Silence, setDeadline } from './deadline.ts'
import { isLost, serverFailure } from './failure.ts'
import { statementNames } from './prepared.ts'
import { type AskableServer, endClient, watchAnswers } from './watch-answers.ts'

type Pg = typeof import('pg')

/** A PostgreSQL database that holds a catalog, and the connections of this process to it. */
export type Server = AskableServer & {
  /** What messages call it: without the password. */
  readonly name: string
  /** Connections that are used in turn. They do not keep the process alive. */
  readonly pool: Pool
  /** A connection of its own, for what belongs to a connection: locks. `stop` makes it hurry. */
  readonly connect: (stop?: AbortSignal) => Promise<Client>
  /** Columns of tables that rows were appended to. */
  readonly columns: Map<string, readonly Column[]>
  /** Under which name a statement is prepared; null: it is not. */
  readonly nameOf: (sql: string) => string | null
}

export type Column = { readonly column: string; readonly type: string }

/** So many connections of a process at most: one writes, the others read. */
const mostConnections = 4

/**
 * A client that is gone without a word (its machine lost power, a network was cut) is noticed by the server within these, and its locks
 * are free then. Who is frozen inside of a work says nothing either, or takes no more of an answer: others wait longer than these for the
 * lake. Connections that work say something six times as often.
 */
export const silenceMs = 30_000
export const beatMs = silenceMs / 6
const serverSettings = [
  `idle_in_transaction_session_timeout=${silenceMs}`,
  `idle_session_timeout=${silenceMs}`,
  `tcp_user_timeout=${silenceMs}`,
  'tcp_keepalives_idle=15',
  'tcp_keepalives_interval=5',
  'tcp_keepalives_count=3',
  'TimeZone=UTC',
  'extra_float_digits=1',
]

/** So long a connection may take to be made. */
export const connectMs = 20_000
/** An answer is late after this. */
const usualLateMs = 10_000
const servers = new Map<string, Promise<Server>>()

/**
 * The database of a URL `postgres://user:password@host:port/database?sslmode=…`; what it leaves out the variables `PG*` say. One for each
 * URL in this process. Nothing is asked yet. `lateMs`: how late an answer may be before the server is asked about it.
 *
 * @throws ConfigError `catalog.package` where the package `pg` is not installed; `config.catalog` for what is no such URL.
 */
export function openServer(url: string, lateMs = usualLateMs): Promise<Server> {
  const known = servers.get(url)
  if (known !== undefined) return known
  const server = makeServer(url, { lateMs, isOurs: true })
  servers.set(url, server)
  server.catch(() => servers.delete(url))
  return server
}

/** Ends the connections of this process that are in the pool, such as at the end of a test. */
export async function closeServer(url: string): Promise<void> {
  const server = servers.get(url)
  servers.delete(url)
  await (await server)?.pool.end()
}

/** `isOurs` false: for another program's tables, with values as `pg` gives them. */
export async function makeServer(
  url: string,
  {
    isOurs,
    lateMs = usualLateMs,
    silence = { atMs: null },
  }: { readonly isOurs: boolean; readonly lateMs?: number; readonly silence?: Silence },
): Promise<Server> {
  const pg = (await loadPackage(() => import('pg'), missingPg)).default as unknown as Pg
  const config = {
    ...configOf(url),
    ...(isOurs ? { types: typesOf(pg) } : { application_name: 'chainlake queue' }),
  }
  const name = serverName(new pg.Client(config))
  // What is asked for while an answer is on its way is sent at once.
  const pipelined = { ...config, pipeline: true }
  const pool = new pg.Pool({ ...pipelined, max: mostConnections, idleTimeoutMillis: 10_000, allowExitOnIdle: true })
  // A connection that breaks while nobody uses it is replaced.
  pool.on('error', () => undefined)
  const connect = async (stop?: AbortSignal) => {
    const settings = withSettings(url, [...serverSettings, 'idle_session_timeout=0'])
    const client = new pg.Client({ ...config, connectionString: settings })
    client.on('error', () => undefined)
    const endDeadline = setDeadline(patienceOf(server, connectMs, stop), stop, () =>
      client.connection.stream.destroy(lateConnection()),
    )
    try {
      await client.connect()
    } catch (error) {
      throw serverFailure(error, name)
    } finally {
      endDeadline()
    }
    const endWatch = watchAnswers(server, client, stop)
    client.once('end', endWatch)
    return client
  }
  const askOnce: Server['askOnce'] = async (sql, parameters, stop) => {
    const client = new pg.Client(config)
    client.on('error', () => undefined)
    const endDeadline = setDeadline(patienceOf(server, lateMs, stop), stop, () =>
      client.connection.stream.destroy(lateConnection()),
    )
    try {
      await client.connect()
      const { rows } = await client.query(sql, [...parameters])
      silence.atMs = null
      return rows
    } catch (error) {
      if (isLost(error)) silence.atMs = performance.now()
      throw error
    } finally {
      endDeadline()
      void endClient(client)
    }
  }
  const server: Server = {
    ...{ name, pool, connect, askOnce, lateMs, silence },
    ...{ columns: new Map(), nameOf: statementNames() },
  }
  return server
}

const missingPg: MissingPackage = {
  message: 'A lake whose catalog is in PostgreSQL needs a package that is not installed.',
  code: 'catalog.package',
  hint: 'Install it where chainlake is: npm install pg@8',
}

function configOf(url: string): ClientConfig {
  return {
    connectionString: withSettings(url, serverSettings),
    application_name: 'chainlake',
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 15_000,
  }
}

/** A URL decides over whatever else is said of a connection: what it says stays, and more is added. */
function withSettings(url: string, settings: readonly string[]): string {
  if (!URL.canParse(url) || !/^postgres(ql)?:$/.test(new URL(url).protocol))
    throw new ConfigError('The catalog is no URL of PostgreSQL.', {
      code: 'config.catalog',
      hint: 'Give postgres://user@host:port/database; the password is best in PGPASSWORD or in ~/.pgpass.',
    })
  const parsed = new URL(url)
  const said = parsed.searchParams.get('options') ?? ''
  parsed.searchParams.set('options', `${said} ${settings.map((setting) => `-c ${setting}`).join(' ')}`.trim())
  return parsed.href.replaceAll('+', '%20')
}

/** As the client itself understood URL and variables. */
function serverName({ host, port, database }: Client): string {
  return host.startsWith('/') ? `${database} of PostgreSQL in ${host}` : `${database} of PostgreSQL at ${host}:${port}`
}

/** Numbers of PostgreSQL's types: int8, int2, int4, numeric. What adds integers up gives the last. */
const integers = new Set([20, 21, 23, 1700])

/** Values as the session of a DuckDB file gives them. */
function typesOf({ types }: Pg): CustomTypesConfig {
  const integer = (value: string) => safeNumber(value, 'a column of the catalog')
  return {
    getTypeParser: (type, format) =>
      integers.has(Number(type)) ? integer : types.getTypeParser(type, format as 'text'),
  }
}
