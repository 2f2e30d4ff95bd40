import { hash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Client, ClientBase, PoolClient, QueryResult } from 'pg'
import { CatalogError, CatalogUnreachableError, ConfigError, LockedError } from '../../errors.ts'
import { sqlName } from '../../lib/text.ts'
import { abortLater, pause, waitingOutside } from '../../lib/wait.ts'
import { createRateLimitTable } from '../limits.ts'
import {
  type Backend,
  type Cell,
  type Dialect,
  inTransaction,
  type Locks,
  latestSnapshot,
  type Parameter,
  type Row,
  type Session,
  settleAll,
  type WaitOptions,
} from '../session.ts'
import {
  beatMs,
  type Column,
  connectMs,
  endClient,
  goodbyeMs,
  hurriedMs,
  isLost,
  isSilent,
  lateConnection,
  makeServer,
  openServer,
  patienceOf,
  type Server,
  serverFailure,
  setDeadline,
  silenceFailure,
  silenceMs,
  sqlState,
  watchAnswers,
} from './server.ts'

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
    connected(server, stop, async (client) => {
      const begun = client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
      begun.catch(() => undefined)
      const result = await work(createSession(server, client, { waitMs, stop }))
      await begun
      client.query('COMMIT').catch(() => undefined)
      return result
    })
  const writeNow = <T>(work: (session: Session) => Promise<T>, waiting: WaitOptions) =>
    connected(server, stop, async (client) => {
      // A run that has lost its lock may have been declared dead. Under the catalog lock this cannot happen.
      const steps = [takeLake(server, client, { waitMs, ...waiting })]
      if (waiting.locks !== 'may be lost') steps.push(locks.verifyHeld(client))
      const taken = settleAll(steps).then(() => undefined)
      taken.catch(() => undefined)
      let freed: Promise<void> | undefined
      const free = () => (freed ??= freeLake(client).catch(() => undefined))
      const result = await work(createSession(server, client, { waitMs, stop, taken, free }))
      await taken
      await free()
      return result
    })
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
        connected(server, stop, async (client) => (await client.query(sql, [...parameters])).rows),
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
  await connected(server, stop, async (client) => {
    const session = createSession(server, client, { stop })
    await inTransaction(session, async () => {
      await session.run(`SELECT pg_advisory_xact_lock(${lakeKey})`)
      if (await holdsCatalog(server, client)) return
      await fill(session)
      for (const sql of additions) await session.run(sql)
    })
  })
}

/**
 * Whether the database contains a catalog.
 *
 * @throws ConfigError `catalog.other-tables`.
 */
export async function hasPostgresCatalog(server: Server, stop?: AbortSignal): Promise<boolean> {
  return connected(server, stop, (client) => holdsCatalog(server, client))
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

/**
 * Access of the queue library to its tables in the database of the catalog, over connections that are monitored like all others. It does not
 * connect yet. `stop` shortens the wait for a server that does not answer.
 */
export async function openQueueDatabase(url: string, stop?: AbortSignal) {
  const { silence } = await openServer(url)
  const server = await makeServer(url, { isOurs: false, silence })
  const on = (client: PoolClient) => ({
    executeSql: (sql: string, values?: unknown[]): Promise<{ rows: any[] }> => client.query(sql, values),
  })
  type Statements = ReturnType<typeof on>
  const executeSql: Statements['executeSql'] = (sql, values) =>
    connected(server, stop, (client) => on(client).executeSql(sql, values))
  return {
    executeSql,
    /** Runs `work` in a transaction. Rolls back if it throws or resolves to false. */
    transaction: (work: (within: Statements) => Promise<boolean>): Promise<boolean> =>
      connected(server, stop, async (client) => {
        await client.query('BEGIN')
        const isDone = await work(on(client))
        await client.query(isDone ? 'COMMIT' : 'ROLLBACK')
        return isDone
      }),
    // Does not wait for a connection attempt to a server that does not answer.
    close: (): Promise<void> => Promise.race([server.pool.end(), pause(goodbyeMs)]),
  }
}

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
function advisoryLocks(server: Server, stop: AbortSignal | undefined): AdvisoryLocks {
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
    connected(server, stop, async (client) => (await client.query(sql, values)).rows)
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
      return { release: () => release(key) }
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

/** The 64-bit key of an advisory lock, from its name. PostgreSQL keeps locks per database, and so per lake. */
function lockKey(name: string): bigint {
  return BigInt.asIntN(64, BigInt(`0x${hash('sha256', `chainlake ${name}`).slice(0, 16)}`))
}

/** Key of the catalog lock: the advisory lock that the process holds that writes to the lake. */
const lakeKey = lockKey('lake')

/**
 * Takes the catalog lock for a connection, until `freeLake` or the end of the connection. The server queues waiting processes in order of
 * arrival. The connection may send further queries meanwhile: the server answers them as soon as the lock is free.
 *
 * @throws LockedError `catalog.locked` when the lock is not free within `waitMs` or before `stop`.
 */
async function takeLake(
  server: Server,
  client: PoolClient,
  { waitMs, stop }: WaitOptions & { readonly waitMs: number },
): Promise<void> {
  const startedMs = performance.now()
  if (stop?.aborted) {
    const { rows } = await client.query(`SELECT pg_try_advisory_lock(${lakeKey}) AS got`)
    if (rows[0].got !== true) throw held(server, startedMs)
    return
  }
  const { processID } = client as PoolClient & { readonly processID: number }
  const cancel = () => void server.askOnce('SELECT pg_cancel_backend($1)', [processID], stop).catch(() => undefined)
  stop?.addEventListener('abort', cancel, { once: true })
  try {
    // One message is one transaction: if the lock is not taken, the setting is rolled back, too.
    const taking = () =>
      client.query(
        `SET lock_timeout = ${Math.max(1, Math.round(waitMs))}; SELECT pg_advisory_lock(${lakeKey}); RESET lock_timeout`,
      )
    await waitingOutside(taking)
  } catch (error) {
    throw ['55P03', '57014'].includes(sqlState(error) ?? '') ? held(server, startedMs, error) : error
  } finally {
    stop?.removeEventListener('abort', cancel)
  }
}

async function freeLake(client: PoolClient): Promise<void> {
  await client.query(`SELECT pg_advisory_unlock(${lakeKey})`)
}

function held(server: Server, startedMs: number, cause?: unknown): LockedError {
  return new LockedError('Another process holds the catalog lock.', {
    details: { catalog: server.name, 'waited for (s)': Math.round((performance.now() - startedMs) / 1000) },
    hint: 'Wait until that process ends, or end it. To find its connection, query pg_locks (locktype advisory) and pg_stat_activity of the database.',
    cause,
  })
}

/**
 * Runs `work` on a connection of the pool and sends heartbeats while it runs. After a failure, the connection is closed and not reused.
 * `stop` shortens the wait for a server that does not answer.
 */
async function connected<T>(
  server: Server,
  stop: AbortSignal | undefined,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await freshClient(server, stop).catch((error: unknown) => {
    throw serverFailure(error, server.name)
  })
  // If the connection breaks, the pending statements fail.
  const ignore = () => undefined
  client.on('error', ignore)
  const endWatch = watchAnswers(server, client, stop)
  const frozenMs = longestPause()
  const beat = setInterval(() => {
    frozenMs()
    client.query('SELECT 1').catch(ignore)
  }, beatMs).unref()
  let isUsable = false
  try {
    await server.verify(client)
    const result = await work(client)
    isUsable = true
    return result
  } catch (error) {
    const failure = serverFailure(error, server.name)
    const isUnreachable = failure instanceof CatalogUnreachableError && failure.code === 'catalog.unreachable'
    throw isUnreachable && frozenMs() > silenceMs - beatMs ? silenceFailure(failure.details, failure) : failure
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
  void endClient(client, () => client.release(true))
}

/** Returns a function that measures the longest time between two of its calls, in milliseconds. */
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

/** A connection that was used recently. The server closes idle connections, for example those of a process that was frozen. */
async function freshClient(server: Server, stop: AbortSignal | undefined): Promise<PoolClient> {
  for (;;) {
    const client = await pooledClient(server, stop)
    if (performance.now() - (usedAtMs.get(client) ?? performance.now()) < silenceMs / 2) return client
    drop(client)
  }
}

/** A connection of the pool. The timeout is short if the server did not answer lately or the process is stopping. */
function pooledClient(server: Server, stop: AbortSignal | undefined): Promise<PoolClient> {
  return new Promise((resolve, reject) => {
    let isLate = false
    const end = setDeadline(patienceOf(server, connectMs, stop), stop, () => {
      isLate = true
      server.silence.atMs = performance.now()
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
        if (isLost(error)) server.silence.atMs = performance.now()
        reject(error)
      },
    )
  })
}

type SessionOptions = {
  /** How long to query the outcome of a commit after its connection broke, in milliseconds. */
  readonly waitMs?: number
  /** Shortens this time. */
  readonly stop?: AbortSignal | undefined
  /** Settles when the catalog lock is taken or refused. Queries may be sent before that, changes may not. */
  readonly taken?: Promise<void>
  /** Releases the catalog lock. */
  readonly free?: () => Promise<void>
}

/** Maximum number of statements without a received answer. */
const maxUnanswered = 500

/**
 * A session over one connection. The SQL of the catalog names the tables of DuckLake in `main`. In PostgreSQL they are in `public`, where the
 * extension of DuckDB expects them. The tables of chainlake are in `chainlake` in all databases.
 *
 * A round trip takes as long as several statements, so the session pipelines statements: concurrent queries are sent together, and changes
 * inside a transaction do not wait for their answers. If a change fails, all later statements of the transaction fail, and its COMMIT rolls
 * back. The next call that waits for answers throws the first failure.
 */
export function createSession(
  server: Server,
  client: ClientBase,
  { waitMs = 60_000, stop, taken = Promise.resolve(), free = async () => undefined }: SessionOptions = {},
): Session {
  /** The number of the open transaction. */
  let transaction: Promise<string> | null = null
  let isOver = false
  const { send, sendNow, answered, settled, unanswered } = pipelineOf(server, client)
  const rows = async <T = Row>(sql: string, parameters?: readonly Parameter[]): Promise<T[]> => {
    const answer = send(sql, parameters)
    await answered()
    await taken
    return (await answer).rows
  }
  const change = async (sql: string, parameters?: readonly Parameter[]): Promise<void> => {
    await taken
    void send(sql, parameters)
    if (transaction === null || unanswered() > maxUnanswered) await answered()
  }
  const commit = async (after: () => Promise<void>): Promise<void> => {
    // If the connection breaks now, this number identifies the transaction.
    const number = await Promise.resolve(transaction).catch((error: unknown) => {
      throw serverFailure(error, server.name)
    })
    transaction = null
    const answer = send('COMMIT')
    const ending = after()
    try {
      await answered()
      if ((await answer).command === 'ROLLBACK')
        throw new Error('PostgreSQL rolled back the transaction at its commit.')
    } catch (error) {
      const isCommitted = !(await isAnswered(answer)) && number !== null && (await hasCommitted(number))
      if (!isCommitted) throw error
    } finally {
      await ending
    }
  }
  const hasCommitted = async (number: string): Promise<boolean> =>
    (await outcomeOf(server, number, { waitMs, stop })) === 'committed'
  return {
    begin: async () => {
      if (isOver) throw new Error('The catalog lock was released with the last transaction.')
      // One message for both statements; the answer to several is a list.
      const begun = sendNow('BEGIN; SELECT pg_current_xact_id()::text AS id')
      transaction = begun.then((answers) => [answers].flat()[1]!.rows[0].id)
      transaction.catch(() => undefined)
    },
    rows,
    run: async (sql, parameters) => {
      if (sql === 'COMMIT') return commit(async () => undefined)
      if (sql !== 'ROLLBACK') return change(sql, parameters)
      transaction = null
      await settled()
      await change(sql)
    },
    commitLast: () => {
      isOver = true
      return commit(free)
    },
    append: async (schema, table, added) => {
      if (added.length === 0) return
      const columns = await columnsOf(server, rows, `${schemaOf(schema)}.${table}`)
      const lists = columns.map((_, position) => added.map((row) => textOf(row[position] ?? null)))
      const names = columns.map(({ column }) => sqlName(column)).join(', ')
      const values = columns.map(({ type }, position) => `$${position + 1}::${type}[]`).join(', ')
      await change(`INSERT INTO ${schemaOf(schema)}.${table}(${names}) SELECT * FROM unnest(${values})`, lists as never)
    },
    fold: async () => undefined,
    readThrough: async () => {
      const tables = await rows(
        "SELECT schemaname, tablename FROM pg_tables WHERE schemaname = 'chainlake' OR schemaname = 'public' AND tablename LIKE 'ducklake\\_%'",
      )
      for (const { schemaname, tablename } of tables)
        await rows(`SELECT count(t) FROM ${sqlName(schemaname)}.${sqlName(tablename)} t`)
    },
    dialect,
  }
}

/** Sends statements without waiting for the answers to earlier ones. */
function pipelineOf(server: Server, client: ClientBase) {
  let sent: Promise<unknown>[] = []
  /** The first failure of the transaction. Later statements only fail because the transaction has failed. */
  let firstFailure: unknown
  const track = (answer: Promise<QueryResult>): Promise<QueryResult> => {
    answer.catch((error: unknown) => {
      firstFailure ??= error
    })
    sent.push(answer)
    return answer
  }
  const takeSent = (): Promise<PromiseSettledResult<unknown>[]> => {
    const all = sent
    sent = []
    return Promise.allSettled(all)
  }
  return {
    send: (sql: string, parameters: readonly Parameter[] = []): Promise<QueryResult> => {
      corkWrites(client)
      const text = inPublic(sql)
      const name = server.nameOf(text)
      const values = [...parameters]
      if (name !== null) return track(client.query({ name, text, values }))
      return track(client.query(values.length === 0 ? text : { text, values }))
    },
    /** Sends the first statements of a transaction as they are. */
    sendNow: (sql: string): Promise<QueryResult> => {
      firstFailure = undefined
      corkWrites(client)
      return track(client.query(sql))
    },
    /** Waits for all answers and throws the first failure. */
    answered: async (): Promise<void> => {
      for (const end of await takeSent())
        if (end.status === 'rejected')
          throw serverFailure(sqlState(end.reason) === '25P02' ? (firstFailure ?? end.reason) : end.reason, server.name)
    },
    /** Waits for all answers and ignores failures. */
    settled: async () => void (await takeSent()),
    /** Number of statements without a received answer. */
    unanswered: () => sent.length,
  }
}

/** Collects all writes to a connection in this turn of the event loop into one system call and packet. */
function corkWrites(client: ClientBase): void {
  const { stream } = (client as Client).connection
  stream.cork()
  // Runs after all promises that are already fulfilled: their continuations write, too.
  queueMicrotask(() => process.nextTick(() => stream.uncork()))
}

/** Whether the server itself answered a commit. Without its answer, the outcome is unknown. */
function isAnswered(answer: Promise<unknown>): Promise<boolean> {
  return answer.then(
    () => true,
    (refusal: unknown) => sqlState(refusal) !== undefined && !isLost(refusal),
  )
}

function inPublic(sql: string): string {
  return sql.replaceAll(/\bmain\.(?=ducklake_)/g, 'public.')
}

function schemaOf(schema: string): string {
  return schema === 'main' ? 'public' : schema
}

/** Columns that rows are appended to: without identity columns. */
async function columnsOf({ columns }: Server, rows: Session['rows'], table: string): Promise<readonly Column[]> {
  const known = columns.get(table)
  if (known !== undefined) return known
  const found = await rows<Column>(
    `SELECT attname AS column, atttypid::regtype::text AS type FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attidentity = '' ORDER BY attnum`,
    [table],
  )
  columns.set(table, found)
  return found
}

function textOf(cell: Cell): string | null {
  return cell === null ? null : String(cell)
}

/** PostgreSQL before 16 cannot test whether a text is valid for a type. These patterns match the texts that chainlake writes. */
const forms = {
  integer: "'^-?[0-9]{1,38}$'",
  time: "'^[0-9]{4,6}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01]) ([01][0-9]|2[0-3])(:[0-5][0-9]){2}([.][0-9]{1,6})?[+]00(:00)?( [(]BC[)])?$'",
}

const dialect: Dialect = {
  tryCast: (sql, type) => {
    const text = `(${sql})::text`
    if (type === 'VARCHAR') return `${text} COLLATE "C"`
    if (type === 'TIMESTAMPTZ')
      return `(CASE WHEN ${text} ~ ${forms.time} THEN replace(replace(${text}, '(', ''), ')', '')::timestamptz END)`
    const number = `(CASE WHEN ${text} ~ ${forms.integer} THEN ${text}::numeric END)`
    return type === 'HUGEINT'
      ? number
      : `(CASE WHEN ${number} BETWEEN -9223372036854775808 AND 9223372036854775807 THEN ${text}::bigint END)`
  },
  microseconds: (sql) => `(extract(epoch FROM ${sql}) * 1000000)::bigint`,
  columns: (declared) => declared.replaceAll(/\bVARCHAR(\[\])?/g, 'VARCHAR$1 COLLATE "C"'),
}

const statusSql = `SELECT pg_xact_status($1::xid8) AS status,
  (SELECT pg_terminate_backend(pid) FROM pg_stat_activity
   WHERE datname = current_database() AND backend_xid = $1::xid8::xid AND state LIKE 'idle in transaction%') AS ended`

/**
 * Whether a transaction was committed although its connection broke during the commit. The server remembers transactions by number, even
 * after a restart. If the transaction is still active, this waits for it. If its session only waits for the lost connection, this ends it.
 *
 * @throws CatalogError `catalog.unknown-outcome` when the server does not answer within `waitMs`, or soon after `stop`.
 */
export async function outcomeOf(
  server: Server,
  transaction: string,
  { waitMs, stop }: { readonly waitMs: number; readonly stop?: AbortSignal | undefined },
): Promise<'committed' | 'aborted'> {
  const giveUp = stop === undefined ? undefined : abortLater(stop, hurriedMs)
  const endMs = performance.now() + waitMs
  let last: unknown
  for (let pauseMs = 50; performance.now() < endMs && !giveUp?.aborted; pauseMs = Math.min(2 * pauseMs, 1_000)) {
    try {
      // Uses a new connection each time: pooled connections may be broken, too.
      const [row] = await server.askOnce(statusSql, [transaction], stop)
      const status: string | null = row?.['status']
      if (status === 'committed' || status === 'aborted') return status
      last = status
      if (status === null) break
    } catch (error) {
      last = error
      if (!isLost(error)) break
    }
    await wait(pauseMs)
  }
  throw new CatalogError(
    'The connection to PostgreSQL was lost during a commit, and the outcome of the commit is unknown.',
    {
      code: 'catalog.unknown-outcome',
      details: { catalog: server.name, transaction, reason: last instanceof Error ? last.message : String(last) },
      hint: 'The commit was applied completely or not at all. Start again when the server answers: the run resumes from the last commit.',
    },
  )
}
