import { setTimeout as wait } from 'node:timers/promises'
import type { Client, ClientBase, ClientConfig, CustomTypesConfig, DatabaseError, Pool } from 'pg'
import {
  CatalogError,
  CatalogUnreachableError,
  ChainlakeError,
  ConfigError,
  LockedError,
  StorageError,
} from '../../errors.ts'
import { loadPackage } from '../../lib/package.ts'
import { type Row, safeNumber } from '../session.ts'

/** The last time (`performance.now()`) that the server failed to answer; null once it answers again. */
type Silence = { atMs: number | null }

/** Timeouts of a server, and whether it answers. */
type Patience = {
  /** How long to wait for an answer before checking over another connection, in milliseconds. */
  readonly lateMs: number
  /** Shared by all connections to this server. */
  readonly silence: Silence
}

/** The longest wait of a stopping process for a server that does not answer, in milliseconds. */
export const hurriedMs = 2_000

/** Calls `late` after `milliseconds`, or soon after `stop` if that is earlier. Returns a function that cancels the timer. */
export function setDeadline(milliseconds: number, stop: AbortSignal | undefined, late: () => void): () => void {
  let timer = setTimeout(late, stop?.aborted ? Math.min(milliseconds, hurriedMs) : milliseconds)
  const hurry = () => {
    clearTimeout(timer)
    timer = setTimeout(late, Math.min(milliseconds, hurriedMs))
  }
  if (!stop?.aborted) stop?.addEventListener('abort', hurry, { once: true })
  return () => {
    clearTimeout(timer)
    stop?.removeEventListener('abort', hurry)
  }
}

/** How long timeouts stay short after a server has failed to answer, in milliseconds. */
const silentForMs = 60_000

/** Whether the server failed to answer lately. */
export function isSilent({ silence: { atMs } }: Patience): boolean {
  return atMs !== null && performance.now() - atMs < silentForMs
}

/** Connection timeout in milliseconds: short for a silent server, and zero if the process is also stopping. */
export function patienceOf(server: Patience, usualMs: number, stop: AbortSignal | undefined): number {
  if (!isSilent(server)) return usualMs
  return stop?.aborted ? 0 : Math.min(usualMs, hurriedMs)
}

/** How long to wait for an answer before checking over another connection, in milliseconds. A stopping process waits less. */
function lateAfter(server: Patience, stop: AbortSignal | undefined): number {
  if (!stop?.aborted) return server.lateMs
  return Math.min(server.lateMs, isSilent(server) ? hurriedMs / 4 : hurriedMs)
}

export function lateConnection(): Error {
  return Object.assign(new Error('connecting timed out'), { code: 'ETIMEDOUT' })
}

/** Translates a failure of PostgreSQL or of the connection. Errors of chainlake itself are returned unchanged. */
export function serverFailure(error: unknown, server: string): unknown {
  if (!(error instanceof Error) || error instanceof ChainlakeError) return error
  const state = sqlState(error)
  const details = { catalog: server, reason: reasonOf(error), ...(state === undefined ? {} : { SQLSTATE: state }) }
  if (state === '25P03' || state === '57P05') return silenceFailure(details, error)
  if (/unsupported startup parameter/.test(error.message))
    return unusablePooler('A connection pooler refuses the settings that chainlake needs.', details, error)
  if (isLost(error))
    return new CatalogUnreachableError('PostgreSQL does not answer, or the connection was lost.', {
      details,
      hint: 'Committed data is safe. Check that the server runs and is reachable from here (psql with the same URL), then start again.',
      cause: error,
    })
  if (/SSL|TLS|certificate|self-signed/i.test(error.message) && !state?.startsWith('2'))
    return new ConfigError('The TLS connection to PostgreSQL failed.', {
      code: 'catalog.tls',
      details,
      hint: 'Set sslmode in the URL (or PGSSLMODE) to disable, no-verify, require or verify-full. Set sslrootcert to the certificate of the authority.',
      cause: error,
    })
  if (/client password must be a string/.test(error.message)) return refusedLogin(details, error)
  if (state === undefined) return error
  return failureOf(state, details, error) ?? error
}

/** The server closed the connection because this process was silent for too long. After waking up, the process may only see a broken connection. */
export function silenceFailure(details: ChainlakeError['details'], cause: unknown): CatalogError {
  return new CatalogError('PostgreSQL closed a connection of this process because it was idle for too long.', {
    code: 'catalog.lock-lost',
    details,
    hint: 'The process or its machine was frozen, and other processes may have written to the lake since then. Uncommitted work was rolled back. Start again.',
    cause,
  })
}

function unusablePooler(message: string, details: ChainlakeError['details'], cause?: unknown): ConfigError {
  return new ConfigError(message, {
    code: 'catalog.pooler',
    details,
    hint: 'Nothing was changed. Use the address of PostgreSQL itself (often port 5432 instead of 6432). A lake needs sessions of its own: it holds locks and settings in them. For PgBouncer that is pool_mode = session, with a version that passes on the options of a connection.',
    cause,
  })
}

function refusedLogin(details: ChainlakeError['details'], cause: Error): ConfigError {
  return new ConfigError('PostgreSQL rejected the user or password.', {
    code: 'catalog.login',
    details,
    hint: 'User and password come from the URL, from PGUSER and PGPASSWORD, or from ~/.pgpass. pg_hba.conf of the server controls which users may connect from which hosts.',
    cause,
  })
}

function failureOf(state: string, details: ChainlakeError['details'], cause: Error): ChainlakeError | null {
  const options = { details, cause }
  if (state.startsWith('28')) return refusedLogin(details, cause)
  if (state === '3D000')
    return new ConfigError('The database does not exist.', {
      ...options,
      code: 'catalog.no-database',
      hint: 'Create it with createdb (one database per lake), or use another one in the URL.',
    })
  if (state === '42501')
    return new ConfigError('The PostgreSQL user does not have the required permission.', {
      ...options,
      code: 'catalog.permission',
      hint: 'A user that writes a lake must own its database, or the tables of its catalog. A user that only reads needs USAGE on the schemas public and chainlake and SELECT on their tables.',
    })
  if (state === '53100' || state === '58030')
    return new StorageError('The disk of PostgreSQL is full or defective.', {
      ...options,
      code: 'storage.full',
      hint: 'Committed data is safe. Free disk space on the server, then start again.',
    })
  if (state === '25006')
    return new ConfigError('The PostgreSQL server is read-only, for example a replica.', {
      ...options,
      code: 'catalog.read-only',
      hint: 'Use the URL of the primary server.',
    })
  if (state === '53300')
    return new CatalogUnreachableError('PostgreSQL has no free connection.', {
      ...options,
      code: 'catalog.connections',
      hint: 'Each process uses up to six connections. Raise max_connections of the server, or run fewer processes.',
    })
  if (state === '57014' || state === '55P03' || state === '25P04')
    return new LockedError('PostgreSQL canceled a statement of the catalog.', {
      ...options,
      hint: `Nothing was changed. ${cancelHint(state, cause)}`,
    })
  if (state === '26000' || state === '42P05')
    return unusablePooler('The statements of one connection reach several sessions of PostgreSQL.', details, cause)
  if (state === '42P01' || state === '3F000')
    return new CatalogError('The database contains no catalog of a lake, or an incomplete one.', {
      ...options,
      code: 'catalog.unreadable',
      hint: 'Nothing was changed. Use the database of a lake, or an empty database, in which chainlake run creates a lake.',
    })
  if (state.startsWith('XX') || state.startsWith('58'))
    return new CatalogError('The catalog cannot be read.', {
      ...options,
      code: 'catalog.unreadable',
      hint: 'Nothing was changed. See the log of the server, and restore the database from its backup.',
    })
  return null
}

function cancelHint(state: string, { message }: Error): string {
  if (state === '25P04')
    return 'The transaction_timeout of the server, the database or the user is too short: set it to 0 for the user of the lake (ALTER ROLE … SET transaction_timeout = 0).'
  const setting = /statement timeout/.test(message)
    ? 'statement_timeout'
    : /lock timeout/.test(message)
      ? 'lock_timeout'
      : null
  if (setting !== null)
    return `The ${setting} that a pooler or the URL sets is too short: remove it there. chainlake sets it to 0 for its own connections.`
  return 'Another user canceled it (pg_cancel_backend), or another statement holds a lock (see pg_stat_activity).'
}

/** The SQLSTATE of an error: five characters. */
export function sqlState(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as DatabaseError).code : undefined
  return code !== undefined && /^[0-9A-Z]{5}$/.test(code) && (error as DatabaseError).severity !== undefined
    ? code
    : undefined
}

/** Whether the connection was lost, so that the outcome of the last statement is unknown. */
export function isLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const state = sqlState(error)
  // The server shuts down, starts or crashed, or it closed the session because it was idle.
  if (state !== undefined) return /^(08...|57P0[1-5]|25P03)$/.test(state)
  const { code } = error as NodeJS.ErrnoException
  return (
    /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT|EACCES)$/.test(
      code ?? '',
    ) ||
    /Connection terminated|not queryable|connection timeout|timeout expired|timeout exceeded|Client was closed/i.test(
      error.message,
    )
  )
}

function reasonOf(error: Error): string {
  const causes = error instanceof AggregateError ? error.errors : [error]
  return causes.map((each) => (each as Error).message).join('; ')
}

/** Maximum number of prepared statements per connection. */
const mostPrepared = 150
/** Maximum number of SQL texts to remember after their first use. */
const mostSeen = 1_000

/**
 * Returns names for SQL texts that are executed repeatedly, so that a connection parses and plans them once. Null for texts that are new,
 * for example with literals in them, and for `SELECT *`, because another version of chainlake may add columns.
 */
function statementNames(): (sql: string) => string | null {
  const names = new Map<string, string>()
  let seen = new Set<string>()
  return (sql) => {
    const known = names.get(sql)
    if (known !== undefined) return known
    if (names.size >= mostPrepared || sql.length > 10_000 || !/^(SELECT (?!\*)|INSERT|UPDATE|DELETE)/.test(sql))
      return null
    if (!seen.has(sql)) {
      if (seen.size >= mostSeen) seen = new Set()
      seen.add(sql)
      return null
    }
    seen.delete(sql)
    const name = `s${names.size + 1}`
    names.set(sql, name)
    return name
  }
}

/** A server that can be queried about its connections over another connection. */
type AskableServer = Patience & {
  /** Runs one query over a new connection, with a timeout, to learn about other connections. `stop` shortens the timeout. */
  readonly askOnce: (sql: string, parameters: readonly unknown[], stop?: AbortSignal) => Promise<Row[]>
}

type Watched = Client & { readonly processID: number; readonly readyForQuery: boolean }

/** Longest interval between checks of a connection, in milliseconds. */
const mostTickMs = 500
/** If the server answers but cannot report the state of a session, wait this many times the usual timeout. */
const doubts = 6

/**
 * Destroys a connection that is open but passes no data, for example after a network failure behind a proxy. Otherwise its statement would
 * wait forever. A statement may also take long for a good reason, such as a lock. So when an answer is late, this checks over another
 * connection whether the server still works on it. `stop` shortens the timeouts. Returns a function that ends the watch.
 */
export function watchAnswers(server: AskableServer, watched: ClientBase, stop: AbortSignal | undefined): () => void {
  const client = watched as Watched
  const lateMs = () => lateAfter(server, stop)
  const { stream } = client.connection
  let heardMs = performance.now()
  let unsent = stream.writableLength
  let isAsking = false
  let isOver = false
  const hear = () => {
    heardMs = performance.now()
  }
  const lateFor = () => performance.now() - heardMs - lateMs()
  const ask = async () => {
    const working = await isWorking(server, client.processID, stop)
    if (working === true) return hear()
    if (working === null && lateFor() < (doubts - 1) * lateMs()) return
    // The answer may already be on its way.
    await wait(Math.min(500, lateMs() / 4))
    if (!isOver && lateFor() >= 0) stream.destroy(noAnswer(client))
  }
  const look = () => {
    // Sending a long statement counts as activity, too.
    if (client.readyForQuery || stream.writableLength !== unsent) hear()
    unsent = stream.writableLength
    if (isAsking || lateFor() < 0) return
    isAsking = true
    void ask().finally(() => {
      isAsking = false
    })
  }
  stream.on('data', hear)
  const timer = setInterval(look, Math.min(mostTickMs, lateMs() / 4)).unref()
  return () => {
    isOver = true
    clearInterval(timer)
    stream.off('data', hear)
  }
}

/** Whether the session with this process id is active; null if the server cannot tell. */
async function isWorking(
  { askOnce }: AskableServer,
  pid: number,
  stop: AbortSignal | undefined,
): Promise<boolean | null> {
  try {
    const [row] = await askOnce('SELECT state FROM pg_stat_activity WHERE pid = $1', [pid], stop)
    if (row === undefined) return false
    const { state } = row
    return state === null || state === 'disabled' ? null : state === 'active'
  } catch (error) {
    // An error of the server, for example that it has no free connection, shows that it is alive.
    return sqlState(error) === undefined || isLost(error) ? false : null
  }
}

/** The error for a broken connection. Its code differs from errors of the server. */
function noAnswer({ processID }: Watched): Error {
  const message = `the server sent no answer and is not working on one (process ${processID})`
  return Object.assign(new Error(message), { code: 'ETIMEDOUT' })
}

/** Time limit for closing an unused connection, in milliseconds. */
export const goodbyeMs = 1_000

/** Closes a connection. If the server is gone, a graceful close would take many minutes, so this destroys the socket after a second. */
export async function endClient(client: Client, end: () => Promise<void> | void = () => client.end()): Promise<void> {
  const timer = setTimeout(() => client.connection.stream.destroy(), goodbyeMs)
  client.once('end', () => clearTimeout(timer))
  await end()
}

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
    throw unusablePooler('The URL of the catalog leads to a connection pooler that chainlake cannot use.', {
      catalog: name,
      ...details,
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

const missingPg = {
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
