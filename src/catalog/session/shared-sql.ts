import type { Parameter, Row } from './session.ts'

/** A database that processes share, beside the catalog of a lake: each statement is a transaction of its own. */
export type SharedSql = {
  readonly query: (sql: string, parameters?: readonly Parameter[]) => Promise<Row[]>
}
