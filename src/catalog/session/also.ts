import type { Row, Session } from './session.ts'

/** Executes a statement in a transaction of the catalog, in the words of its database. */
export type Execute = (sql: string, parameters?: readonly unknown[]) => Promise<Row[]>

/** What is done in the transaction of a commit beside it, such as saying that a task is done. What it throws undoes the commit. */
export type Also = (execute: Execute) => Promise<void>

export function alsoIn(session: Session, also: Also): Promise<void> {
  return also((sql, parameters = []) => session.rows(sql, parameters as Parameters<Session['rows']>[1]))
}
