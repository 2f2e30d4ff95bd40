export type Cell = string | number | bigint | boolean | null
/** A parameter of a prepared statement. A list of texts becomes `VARCHAR[]`. */
export type Parameter = Cell | readonly string[]
/** Integers arrive as numbers: all integers of the catalog are ids or counts of files, rows and bytes. */
export type Row = Record<string, any>

/** Types that texts of the catalog are cast to. */
export type CastType = 'BIGINT' | 'HUGEINT' | 'TIMESTAMPTZ' | 'VARCHAR'

/** SQL that differs between databases. All other SQL of the catalog means the same in each of them. */
export type Dialect = {
  /** Casts a text to a type; null if the cast fails. */
  readonly tryCast: (sql: string, type: CastType) => string
  /** Converts a time to microseconds since 1970 UTC. */
  readonly microseconds: (sql: string) => string
  /** Column declarations for this database. They sort texts by their bytes. */
  readonly columns: (declared: string) => string
}

/** An open catalog. It is valid only inside the work that received it. */
export type Session = {
  /** Begins a transaction that may write. */
  begin: () => Promise<void>
  rows: (sql: string, parameters?: readonly Parameter[]) => Promise<Row[]>
  /** Executes a statement. Inside a transaction, a later call may throw its failure, at the latest the commit. */
  run: (sql: string, parameters?: readonly Parameter[]) => Promise<void>
  /** Commits the last transaction of the work. The backend may release the catalog lock as soon as the commit is durable. */
  commitLast: () => Promise<void>
  /** Appends rows of integers, texts, booleans and nulls, in the order of the table's columns. */
  append: (schema: string, table: string, rows: readonly (readonly Cell[])[]) => Promise<void>
  /** Folds the write-ahead file into the catalog file (checkpoint). */
  fold: () => Promise<void>
  /** Reads every table completely to find damage. The database compares checksums of blocks if it has them. */
  readThrough: () => Promise<void>
  readonly dialect: Dialect
}

/** Runs `work` in one transaction; any error rolls it back. */
export function inTransaction<T>(session: Session, work: () => Promise<T>): Promise<T> {
  return transact(session, work, () => session.run('COMMIT'))
}

/** Like `inTransaction`, for the last transaction of a session. */
export function inLastTransaction<T>(session: Session, work: () => Promise<T>): Promise<T> {
  return transact(session, work, session.commitLast)
}

async function transact<T>(session: Session, work: () => Promise<T>, commit: () => Promise<void>): Promise<T> {
  await session.begin()
  try {
    const result = await work()
    await commit()
    return result
  } catch (error) {
    // After some failures, such as a full disk, DuckDB has already rolled back. The first error is the relevant one.
    await session.run('ROLLBACK').catch(() => undefined)
    throw error
  }
}
