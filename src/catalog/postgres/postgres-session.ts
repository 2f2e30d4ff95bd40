import type { ClientBase, QueryResult } from 'pg'
import { sqlName } from '../../lib/text/sql-quote.ts'
import type { Cell, Dialect, Parameter, Row, Session } from '../session/session.ts'
import { isLost, serverFailure, sqlState } from './failure.ts'
import { sendTogether } from './send-together.ts'
import type { Column, Server } from './server.ts'
import { outcomeOf } from './transaction-outcome.ts'

export type Holding = {
  /** How long the server is asked what became of a transaction whose connection broke at its end. */
  readonly waitMs?: number
  /** Makes the asking short. */
  readonly stop?: AbortSignal | undefined
  /** Settles when the lake is taken, or is not: what is read may be asked for before, and nothing is changed. */
  readonly taken?: Promise<void>
  /** Lets the lake go. */
  readonly free?: () => Promise<void>
}

/** So many statements may be on the way before one waits for their answers. */
const mostSent = 500

/**
 * A session over one connection. DuckLake's tables, which SQL here looks for in `main`, are in `public`, where DuckDB's extension looks for
 * them; ours are in `chainlake` as everywhere.
 *
 * A way to the server and back takes as long as some statements, so that few ways are gone: what is asked for together goes together, and
 * what is changed inside of a transaction is not waited for. Where such a statement fails all later ones of its transaction do, its COMMIT is
 * none, and what is asked for next throws what failed first.
 */
export function createSession(
  server: Server,
  client: ClientBase,
  { waitMs = 60_000, stop, taken = Promise.resolve(), free = async () => undefined }: Holding = {},
): Session {
  const { name: serverName } = server
  /** The number of the transaction that goes on. */
  let transaction: Promise<string> | null = null
  let isOver = false
  /** What nobody waited for yet, in its order. */
  let sent: Promise<unknown>[] = []
  /** Of the transaction: what it is told of later is only that it failed. */
  let firstFailure: unknown
  const keep = (answer: Promise<unknown>) => {
    answer.catch((error: unknown) => {
      firstFailure ??= error
    })
    sent.push(answer)
  }
  const send = (sql: string, parameters: readonly Parameter[] = []): Promise<QueryResult> => {
    sendTogether(client)
    const text = placed(sql)
    const name = server.nameOf(text)
    const values = [...parameters]
    const answer = client.query(name !== null ? { name, text, values } : values.length === 0 ? text : { text, values })
    keep(answer)
    return answer
  }
  /** Waits for all that was sent. */
  const answered = async (): Promise<void> => {
    const all = sent
    sent = []
    for (const end of await Promise.allSettled(all))
      if (end.status === 'rejected')
        throw serverFailure(sqlState(end.reason) === '25P02' ? (firstFailure ?? end.reason) : end.reason, serverName)
  }
  const rows = async (sql: string, parameters?: readonly Parameter[]): Promise<Row[]> => {
    const answer = send(sql, parameters)
    await answered()
    await taken
    return (await answer).rows
  }
  const change = async (sql: string, parameters?: readonly Parameter[]): Promise<void> => {
    await taken
    void send(sql, parameters)
    if (transaction === null || sent.length > mostSent) await answered()
  }
  const commit = async (after: () => Promise<void>): Promise<void> => {
    // Its number is what is asked for when the connection breaks now.
    const number = await Promise.resolve(transaction).catch((error: unknown) => {
      throw serverFailure(error, serverName)
    })
    transaction = null
    const answer = send('COMMIT')
    const ending = after()
    try {
      await answered()
      if ((await answer).command === 'ROLLBACK') throw new Error('PostgreSQL rolled back what was to be committed.')
    } catch (error) {
      // Only the server's own word says that nothing took place.
      const isAnswered = await answer.then(
        () => true,
        (refusal: unknown) => sqlState(refusal) !== undefined && !isLost(refusal),
      )
      if (isAnswered || number === null || (await outcomeOf(server, number, { waitMs, stop })) !== 'committed')
        throw error
    } finally {
      await ending
    }
  }
  return {
    begin: async () => {
      if (isOver) throw new Error('The lake was let go with the last transaction.')
      firstFailure = undefined
      sendTogether(client)
      // Both at once.
      const begun = client.query('BEGIN; SELECT pg_current_xact_id()::text AS id')
      keep(begun)
      transaction = begun.then((answers) => (answers as unknown as QueryResult[])[1]!.rows[0].id)
      transaction.catch(() => undefined)
    },
    rows,
    run: async (sql, parameters) => {
      if (sql === 'COMMIT') return commit(async () => undefined)
      if (sql !== 'ROLLBACK') return change(sql, parameters)
      transaction = null
      await Promise.allSettled(sent)
      sent = []
      await change(sql)
    },
    commitLast: () => {
      isOver = true
      return commit(free)
    },
    append: async (schema, table, added) => {
      if (added.length === 0) return
      const columns = await columnsOf(server, rows, `${placeOf(schema)}.${table}`)
      const lists = columns.map((_, position) => added.map((row) => textOf(row[position] ?? null)))
      const names = columns.map(({ column }) => sqlName(column)).join(', ')
      const values = columns.map(({ type }, position) => `$${position + 1}::${type}[]`).join(', ')
      await change(`INSERT INTO ${placeOf(schema)}.${table}(${names}) SELECT * FROM unnest(${values})`, lists as never)
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

function placed(sql: string): string {
  return sql.replaceAll(/\bmain\.(?=ducklake_)/g, 'public.')
}

function placeOf(schema: string): string {
  return schema === 'main' ? 'public' : schema
}

/** Columns that rows are appended to: without those that number rows by themselves. */
async function columnsOf({ columns }: Server, rows: Session['rows'], table: string): Promise<readonly Column[]> {
  const known = columns.get(table)
  if (known !== undefined) return known
  const found = await rows(
    `SELECT attname AS column, atttypid::regtype::text AS type FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attidentity = '' ORDER BY attnum`,
    [table],
  )
  columns.set(table, found as Column[])
  return found as Column[]
}

function textOf(cell: Cell): string | null {
  return cell === null ? null : String(cell)
}

/** PostgreSQL before 16 cannot ask whether a text is of a type: its form decides, which is how this program writes it. */
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
