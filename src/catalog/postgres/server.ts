import type { Client, ClientBase, ClientConfig, CustomTypesConfig, Pool } from 'pg'
import { type ChainlakeError, ConfigError } from '../../errors.ts'
import { loadPackage, type MissingPackage } from '../../lib/files/load-package.ts'
import { safeNumber } from '../session/safe-number.ts'
import { lateConnection, patienceOf, type Silence, setDeadline } from './deadline.ts'
import { isLost, serverFailure } from './failure.ts'
import { statementNames } from './prepared.ts'
import { type AskableServer, endClient, watchAnswers } from './watch-answers.ts'

type Pg = Pick<typeof import('pg'), 'Client' | 'Pool' | 'types'>

/** A PostgreSQL database that holds a catalog, and the connections of this process to it. */
export type Server = AskableServer & {
  /** Name in messages, without the password. */
  readonly name: string
  /** Pooled connections. They do not keep the process alive. */
  readonly pool: Pool
  /**
   * Refuses a server that would break the promises of the catalog, the first time that this process uses it.
   *
   * @throws ConfigError `catalog.pooler`.
   */
  readonly verify: (client: ClientBase) => Promise<void>
  /** Opens a dedicated connection, which locks need. `stop` shortens the timeout. */
  readonly connect: (stop?: AbortSignal) => Promise<Client>
  /** Cache of the columns of tables that rows were appended to. */
  readonly columns: Map<string, readonly Column[]>
  /** The name of the prepared statement; null if it is not prepared. */
  readonly nameOf: (sql: string) => string | null
}

export type Column = { readonly column: string; readonly type: string }

/** Maximum number of pooled connections per process: one writes, the others read. */
const mostConnections = 4

/**
 * Time in milliseconds after which the server closes a silent connection and frees its locks. A client goes silent when its machine loses
 * power, its network fails or its process is frozen. Other processes wait longer than this for the catalog lock. Active connections send
 * six heartbeats within this time.
 */
export const silenceMs = 30_000
export const beatMs = silenceMs / 6
const serverSettings = [
  `idle_in_transaction_session_timeout=${silenceMs}`,
  `idle_session_timeout=${silenceMs}`,
  `tcp_user_timeout=${silenceMs}`,
  // A limit of the server, the database or the user would cut waits for locks, and statements on large catalogs.
  'statement_timeout=0',
  'lock_timeout=0',
  'tcp_keepalives_idle=15',
  'tcp_keepalives_interval=5',
  'tcp_keepalives_count=3',
  'TimeZone=UTC',
  'extra_float_digits=1',
]

/** Connection timeout in milliseconds. */
export const connectMs = 20_000
/** After this time in milliseconds an answer is late. */
const usualLateMs = 10_000
const servers = new Map<string, Promise<Server>>()

/**
 * The database of a URL `postgres://user:password@host:port/database?sslmode=…`; variables `PG*` supply missing parts. There is one for each
 * URL in this process. It does not connect yet. `lateMs`: how long to wait for an answer before checking over another connection.
 *
 * @throws ConfigError `catalog.package` when the package `pg` is not installed; `config.catalog` for an invalid URL.
 */
export function openServer(url: string, lateMs = usualLateMs): Promise<Server> {
  const known = servers.get(url)
  if (known !== undefined) return known
  const server = makeServer(url, { lateMs, isOurs: true })
  servers.set(url, server)
  server.catch(() => servers.delete(url))
  return server
}

/** Closes the pooled connections of this process, for example at the end of a test. */
export async function closeServer(url: string): Promise<void> {
  const server = servers.get(url)
  servers.delete(url)
  await (await server)?.pool.end()
}

/** `isOurs` is false for tables of another library. Values then have the types of `pg`. */
export async function makeServer(
  url: string,
  {
    isOurs,
    lateMs = usualLateMs,
    silence = { atMs: null },
  }: { readonly isOurs: boolean; readonly lateMs?: number; readonly silence?: Silence },
): Promise<Server> {
  const pg: Pg = (await loadPackage(() => import('pg'), missingPg)).default
  const config = {
    ...configOf(url),
    ...(isOurs ? { types: typesOf(pg) } : { application_name: 'chainlake queue' }),
  }
  const name = serverName(new pg.Client(config))
  // Sends queries without waiting for earlier answers.
  const pipelined = { ...config, pipeline: true }
  const pool = new pg.Pool({ ...pipelined, max: mostConnections, idleTimeoutMillis: 10_000, allowExitOnIdle: true })
  // The pool replaces idle connections that break.
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
    await verify(client)
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
  let verified: Promise<void> | undefined
  const verify = (client: ClientBase): Promise<void> => {
    verified ??= verifySession(client, name, askOnce)
    verified.catch(() => {
      verified = undefined
    })
    return verified
  }
  const server: Server = {
    ...{ name, pool, verify, connect, askOnce, lateMs, silence },
    ...{ columns: new Map(), nameOf: statementNames() },
  }
  return server
}

/** The settings that a connection must have got: without them, a frozen process would hold locks, and a limit would cut waits. */
const expected = {
  idle_in_transaction_session_timeout: `${silenceMs / 1000}s`,
  statement_timeout: '0',
  lock_timeout: '0',
  timezone: 'UTC',
}

/**
 * Recognizes a pooler between this process and the server. In the modes `transaction` and `statement`, it gives the statements of one
 * connection to several sessions of the server: then locks and prepared statements belong to another session.
 */
async function verifySession(client: ClientBase, name: string, askOnce: Server['askOnce']): Promise<void> {
  const names = Object.keys(expected)
  const sql = `SELECT pg_backend_pid() AS pid, ${names.map((each) => `current_setting('${each}') AS ${each}`).join(', ')}`
  const [{ pid, ...settings }] = (await client.query(sql)).rows
  const refuse = (details: ChainlakeError['details']): never => {
    throw new ConfigError('The URL of the catalog leads to a connection pooler that chainlake cannot use.', {
      code: 'catalog.pooler',
      details: { catalog: name, ...details },
      hint: 'Nothing was changed. Use the address of PostgreSQL itself (often port 5432 instead of 6432). A lake needs sessions of its own: it holds locks and settings in them. For PgBouncer that is pool_mode = session, with a version that passes on the options of a connection.',
    })
  }
  // A pooler gives each connection a number of its own.
  if (pid !== (client as ClientBase & { readonly processID: number }).processID) {
    const [other] = await askOnce('SELECT pg_backend_pid() AS pid', [])
    const [again] = (await client.query('SELECT pg_backend_pid() AS pid')).rows
    if (other?.['pid'] === pid || again.pid !== pid) refuse({ pool_mode: 'transaction or statement' })
  }
  const other = Object.entries(expected).find(([setting, value]) => settings[setting] !== value)
  if (other !== undefined) refuse({ 'setting not passed on': other[0], 'the server has': settings[other[0]] })
}

const missingPg: MissingPackage = {
  message: 'A lake with a catalog in PostgreSQL needs a package that is not installed.',
  code: 'catalog.package',
  hint: 'Install it next to chainlake: npm install pg@8',
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

/** Adds settings to a URL. Parameters of the URL take precedence over all other options of a connection, so the settings must be in it. */
function withSettings(url: string, settings: readonly string[]): string {
  if (!URL.canParse(url) || !/^postgres(ql)?:$/.test(new URL(url).protocol))
    throw new ConfigError('The URL of the catalog is not a PostgreSQL URL.', {
      code: 'config.catalog',
      hint: 'Use postgres://user@host:port/database. Keep the password in PGPASSWORD or in ~/.pgpass.',
    })
  const parsed = new URL(url)
  const said = parsed.searchParams.get('options') ?? ''
  parsed.searchParams.set('options', `${said} ${settings.map((setting) => `-c ${setting}`).join(' ')}`.trim())
  return parsed.href.replaceAll('+', '%20')
}

/** Host and database, as the client has parsed them from the URL and variables. */
function serverName({ host, port, database }: Client): string {
  return host.startsWith('/') ? `${database} of PostgreSQL in ${host}` : `${database} of PostgreSQL at ${host}:${port}`
}

/** Type ids of PostgreSQL: int8, int2, int4, numeric. Sums of integers are numeric. */
const integers = new Set([20, 21, 23, 1700])

/** Type parsers that return the same values as the session of a DuckDB file. */
function typesOf({ types }: Pg): CustomTypesConfig {
  const integer = (value: string) => safeNumber(value, 'a column of the catalog')
  return {
    getTypeParser: (type, format) =>
      integers.has(Number(type)) ? integer : types.getTypeParser(type, format as 'text'),
  }
}
