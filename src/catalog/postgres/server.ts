import type { Client, ClientConfig, CustomTypesConfig, Pool, PoolClient } from 'pg'
import { ChainlakeError, ConfigError } from '../../errors.ts'
import { loadPackage, type MissingPackage } from '../../lib/load-package.ts'
import { safeNumber } from '../safe-number.ts'
import type { Row } from '../session.ts'
import { hurriedMs, setDeadline } from './deadline.ts'
import { isLost, serverFailure, silenceFailure, sqlState } from './failure.ts'
import { statementNames } from './prepared.ts'
import { endClient, type Watch, watchAnswers } from './watch-answers.ts'

type Pg = typeof import('pg')

/** A PostgreSQL database that holds a catalog, and the connections of this process to it. */
export type Server = {
  /** What messages call it: without the password. */
  readonly name: string
  /** Connections that are used in turn. They do not keep the process alive. */
  readonly pool: Pool
  /** A connection of its own, for what belongs to a connection: locks. `stop` makes it hurry. */
  readonly connect: (stop?: AbortSignal) => Promise<Client>
  /** Asks once over a connection of its own, with a deadline: for what has to be known of other connections. `stop` makes it hurry. */
  readonly askOnce: (sql: string, parameters: readonly unknown[], stop?: AbortSignal) => Promise<Row[]>
  /** How late an answer may be before the server is asked about it, in milliseconds. */
  readonly lateMs: number
  /** When (`performance.now()`) it last let a connection wait in vain; null once it answers. */
  silentAtMs: number | null
  /** Columns of tables that rows were appended to. */
  readonly columns: Map<string, readonly Column[]>
  /** Under which name a statement is prepared; null: it is not. */
  readonly nameOf: (sql: string) => string | null
}

type Pools = Pick<Server, 'pool' | 'askOnce' | 'lateMs' | 'silentAtMs' | 'name'>

export type Column = { readonly column: string; readonly type: string }

/** So many connections of a process at most: one writes, the others read. */
const mostConnections = 4

/**
 * A client that is gone without a word (its machine lost power, a network was cut) is noticed by the server within these, and its locks
 * are free then. Who is frozen inside of a work says nothing either, or takes no more of an answer: others wait longer than these for the
 * lake. Connections that work say something six times as often.
 */
const silenceMs = 30_000
const beatMs = silenceMs / 6
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
const connectMs = 20_000
/** An answer is late after this. */
const usualLateMs = 10_000
/** A server that said nothing is given little time to answer for so long. */
const silentForMs = 60_000

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
  const server = makeServer(url, lateMs)
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

async function makeServer(url: string, lateMs: number): Promise<Server> {
  const pg = (await loadPackage(() => import('pg'), missingPg)).default as unknown as Pg
  const config = configOf(url, pg)
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
    const endDeadline = setDeadline(connectMs, stop, () => client.connection.stream.destroy(lateConnection()))
    try {
      await client.connect()
    } catch (error) {
      throw serverFailure(error, name)
    } finally {
      endDeadline()
    }
    const endWatch = watchAnswers(client, watchOf(server, stop))
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
      server.silentAtMs = null
      return rows
    } catch (error) {
      if (isLost(error)) server.silentAtMs = performance.now()
      throw error
    } finally {
      endDeadline()
      void endClient(client)
    }
  }
  const server: Server = {
    ...{ name, pool, connect, askOnce, lateMs, silentAtMs: null },
    ...{ columns: new Map(), nameOf: statementNames() },
  }
  return server
}

/** What a connection is watched with: `stop` makes it hurry. */
export function watchOf(server: Pools, stop: AbortSignal | undefined): Watch {
  return {
    lateMs: () => (stop?.aborted ? Math.min(server.lateMs, hurriedMs) : server.lateMs),
    isWorking: async (pid) => {
      try {
        const [row] = await server.askOnce('SELECT state FROM pg_stat_activity WHERE pid = $1', [pid], stop)
        if (row === undefined) return false
        const { state } = row
        return state === null || state === 'disabled' ? null : state === 'active'
      } catch (error) {
        // Such as of a server that has no connection left: it answers, and knows.
        return sqlState(error) === undefined || isLost(error) ? false : null
      }
    },
  }
}

/** Whether it let a connection wait in vain lately. */
export function isSilent({ silentAtMs }: Pick<Server, 'silentAtMs'>): boolean {
  return silentAtMs !== null && performance.now() - silentAtMs < silentForMs
}

/** How long a connection may take to be made: not long at a silent server, and no time at all where the process is to stop, too. */
function patienceOf(server: Pools, usualMs: number, stop: AbortSignal | undefined): number {
  if (!isSilent(server)) return usualMs
  return stop?.aborted ? 0 : Math.min(usualMs, hurriedMs)
}

function lateConnection(): Error {
  return Object.assign(new Error('no connection was made in time'), { code: 'ETIMEDOUT' })
}

const missingPg: MissingPackage = {
  message: 'A lake whose catalog is in PostgreSQL needs a package that is not installed.',
  code: 'catalog.package',
  hint: 'Install it where chainlake is: npm install pg@8',
}

function configOf(url: string, pg: Pg): ClientConfig {
  return {
    connectionString: withSettings(url, serverSettings),
    application_name: 'chainlake',
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 15_000,
    types: typesOf(pg),
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

/**
 * Runs a work on a connection of the pool, on which something is said while it goes on. One on which a work failed is not used again. `stop` makes
 * the waiting for a server that says nothing short.
 */
export async function connected<T>(
  server: Server,
  work: (client: PoolClient) => Promise<T>,
  stop?: AbortSignal,
): Promise<T> {
  const frozenMs = longestPause()
  try {
    return await onConnection(server, work, { stop, beats: frozenMs })
  } catch (error) {
    const failure = serverFailure(error, server.name)
    const isUnreachable = failure instanceof ChainlakeError && failure.code === 'catalog.unreachable'
    throw isUnreachable && frozenMs() > silenceMs - beatMs ? silenceFailure(failure.details, failure) : failure
  }
}

/** The same, with errors as PostgreSQL says them. */
export async function onConnection<T>(
  server: Pools,
  work: (client: PoolClient) => Promise<T>,
  { stop, beats = () => undefined }: { readonly stop?: AbortSignal | undefined; readonly beats?: () => void } = {},
): Promise<T> {
  const client = await freshClient(server, stop)
  // Whatever breaks the connection, the statements are told.
  const ignore = () => undefined
  client.on('error', ignore)
  const endWatch = watchAnswers(client, watchOf(server, stop))
  const beat = setInterval(() => {
    beats()
    client.query('SELECT 1').catch(ignore)
  }, beatMs).unref()
  let isUsable = false
  try {
    const result = await work(client)
    isUsable = true
    return result
  } finally {
    clearInterval(beat)
    endWatch()
    client.off('error', ignore)
    usedAtMs.set(client, performance.now())
    if (isUsable) client.release()
    else drop(client)
  }
}

function drop(client: PoolClient): void {
  void endClient(client as unknown as Client, () => client.release(true))
}

/** The longest time between two calls. */
function longestPause(): () => number {
  let [lastMs, longestMs] = [performance.now(), 0]
  return () => {
    const nowMs = performance.now()
    longestMs = Math.max(longestMs, nowMs - lastMs)
    lastMs = nowMs
    return longestMs
  }
}

const usedAtMs = new WeakMap<PoolClient, number>()

/** A connection that the server has not ended meanwhile, as it does to those of a process that was frozen. */
async function freshClient(server: Pools, stop: AbortSignal | undefined): Promise<PoolClient> {
  for (;;) {
    const client = await pooledClient(server, stop)
    if (performance.now() - (usedAtMs.get(client) ?? performance.now()) < silenceMs / 2) return client
    drop(client)
  }
}

/** A connection of the pool, sooner or not at all where the server was silent lately or the process is to stop. */
function pooledClient(server: Pools, stop: AbortSignal | undefined): Promise<PoolClient> {
  return new Promise((resolve, reject) => {
    let isLate = false
    const end = setDeadline(patienceOf(server, connectMs, stop), stop, () => {
      isLate = true
      server.silentAtMs = performance.now()
      reject(lateConnection())
    })
    server.pool.connect().then(
      (client) => {
        end()
        if (isLate) client.release()
        else resolve(client)
      },
      (error: unknown) => {
        end()
        if (isLost(error)) server.silentAtMs = performance.now()
        reject(error)
      },
    )
  })
}
