import { setTimeout as wait } from 'node:timers/promises'
import type { Client, ClientBase, QueryResult } from 'pg'
import { CatalogError } from '../../errors.ts'
import { sqlName } from '../../lib/text.ts'
import { abortLater } from '../../lib/wait.ts'
import type { Cell, Dialect, Parameter, Row, Session } from '../session.ts'
import { type Column, hurriedMs, isLost, type Server, serverFailure, sqlState } from './server.ts'

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

type Pipeline = {
  readonly send: (sql: string, parameters?: readonly Parameter[]) => Promise<QueryResult>
  /** Sends the first statements of a transaction as they are. */
  readonly sendNow: (sql: string) => Promise<QueryResult>
  /** Waits for all answers and throws the first failure. */
  readonly answered: () => Promise<void>
  /** Waits for all answers and ignores failures. */
  readonly settled: () => Promise<void>
  /** Number of statements without a received answer. */
  readonly unanswered: () => number
}

/** Sends statements without waiting for the answers to earlier ones. */
function pipelineOf(server: Server, client: ClientBase): Pipeline {
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
    send: (sql, parameters = []) => {
      corkWrites(client)
      const text = inPublic(sql)
      const name = server.nameOf(text)
      const values = [...parameters]
      if (name !== null) return track(client.query({ name, text, values }))
      return track(client.query(values.length === 0 ? text : { text, values }))
    },
    sendNow: (sql) => {
      firstFailure = undefined
      corkWrites(client)
      return track(client.query(sql))
    },
    answered: async () => {
      for (const end of await takeSent())
        if (end.status === 'rejected')
          throw serverFailure(sqlState(end.reason) === '25P02' ? (firstFailure ?? end.reason) : end.reason, server.name)
    },
    settled: async () => void (await takeSent()),
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
