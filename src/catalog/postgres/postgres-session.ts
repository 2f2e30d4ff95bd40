import type { ClientBase, QueryResult } from 'pg'
import { sqlName } from '../../lib/sql-quote.ts'
import type { Cell, Dialect, Parameter, Session } from '../session.ts'
import { isLost, serverFailure } from './failure.ts'
import type { Column, Server } from './server.ts'
import { outcomeOf } from './transaction-outcome.ts'

/**
 * A session over one connection. DuckLake's tables, which SQL here looks for in `main`, are in `public`, where DuckDB's extension looks for
 * them; ours are in `chainlake` as everywhere.
 */
export function createSession(server: Server, client: ClientBase, waitMs = 60_000): Session {
  const { name } = server
  /** The transaction that goes on. */
  let transaction: string | null = null
  const ask = async (sql: string, parameters: readonly Parameter[] = []): Promise<QueryResult> => {
    try {
      return await client.query(placed(sql), parameters.length === 0 ? undefined : [...parameters])
    } catch (error) {
      if (sql === 'COMMIT' && transaction !== null && isLost(error)) {
        if ((await outcomeOf(server, transaction, waitMs)) === 'committed') return noRows
      }
      throw serverFailure(error, name)
    } finally {
      if (sql === 'COMMIT' || sql === 'ROLLBACK') transaction = null
    }
  }
  return {
    begin: async () => {
      // Both at once. Its number is what is asked for when the connection breaks at its end.
      const answers = (await client.query('BEGIN; SELECT pg_current_xact_id()::text AS id').catch((error: unknown) => {
        throw serverFailure(error, name)
      })) as unknown as QueryResult[]
      transaction = answers[1]?.rows[0]?.id ?? null
    },
    rows: async (sql, parameters) => (await ask(sql, parameters)).rows,
    run: async (sql, parameters) => void (await ask(sql, parameters)),
    append: async (schema, table, rows) => {
      if (rows.length === 0) return
      const columns = await columnsOf(server, ask, `${placeOf(schema)}.${table}`)
      const lists = columns.map((_, position) => rows.map((row) => textOf(row[position] ?? null)))
      const names = columns.map(({ column }) => sqlName(column)).join(', ')
      const values = columns.map(({ type }, position) => `$${position + 1}::${type}[]`).join(', ')
      await ask(`INSERT INTO ${placeOf(schema)}.${table}(${names}) SELECT * FROM unnest(${values})`, lists as never)
    },
    fold: async () => undefined,
    readThrough: async () => {
      const tables = await ask(
        "SELECT schemaname, tablename FROM pg_tables WHERE schemaname = 'chainlake' OR schemaname = 'public' AND tablename LIKE 'ducklake\\_%'",
      )
      for (const { schemaname, tablename } of tables.rows)
        await ask(`SELECT count(t) FROM ${sqlName(schemaname)}.${sqlName(tablename)} t`)
    },
    dialect,
  }
}

const noRows = { rows: [] as unknown[] } as QueryResult

function placed(sql: string): string {
  return sql.replaceAll(/\bmain\.(?=ducklake_)/g, 'public.')
}

function placeOf(schema: string): string {
  return schema === 'main' ? 'public' : schema
}

type Ask = (sql: string, parameters?: readonly Parameter[]) => Promise<QueryResult>

/** Columns that rows are appended to: without those that number rows by themselves. */
async function columnsOf({ columns }: Server, ask: Ask, table: string): Promise<readonly Column[]> {
  const known = columns.get(table)
  if (known !== undefined) return known
  const { rows } = await ask(
    `SELECT attname AS column, atttypid::regtype::text AS type FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attidentity = '' ORDER BY attnum`,
    [table],
  )
  columns.set(table, rows)
  return rows
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
