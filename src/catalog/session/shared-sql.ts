import type { Parameter, Row } from './session.ts'

/** SQL on the database of the catalog, which processes of several machines share. Each statement is its own transaction. */
export type SharedSql = {
  readonly query: (sql: string, parameters?: readonly Parameter[]) => Promise<Row[]>
}
