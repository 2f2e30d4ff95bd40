import type { Row, Session } from './session.ts'

/** Executes one statement in an open transaction of the catalog. The SQL is that of the catalog's database. */
export type Execute = (sql: string, parameters?: readonly unknown[]) => Promise<Row[]>

/** Further work in the transaction of a commit, such as marking a task as done. If it throws, the commit is rolled back. */
export type InSameTransaction = (execute: Execute) => Promise<void>

export function runInSameTransaction(session: Session, work: InSameTransaction): Promise<void> {
  return work((sql, parameters = []) => session.rows(sql, parameters as Parameters<Session['rows']>[1]))
}
