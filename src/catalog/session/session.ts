export type Cell = string | number | bigint | boolean | null
/** A value of a prepared statement; a list of texts becomes `VARCHAR[]`. */
export type Parameter = Cell | readonly string[]
/** Integers arrive as numbers: every integer of the catalog counts files, rows, bytes or ids. */
export type Row = Record<string, any>

/** Types that texts of the catalog are read as. */
export type CastType = 'BIGINT' | 'HUGEINT' | 'TIMESTAMPTZ' | 'VARCHAR'

/** What databases write in different ways. All other SQL of the catalog means the same to each of them. */
export type Dialect = {
  /** A text as a value of a type; null for one that is none. */
  readonly tryCast: (sql: string, type: CastType) => string
  /** A time as microseconds since 1970 UTC. */
  readonly microseconds: (sql: string) => string
  /** Columns as they are declared, with what this database must be told so that they are kept alike: texts in the order of their bytes. */
  readonly columns: (declared: string) => string
}

/** An open catalog: valid only inside the work that it was given to. */
export type Session = {
  /** Begins a transaction that may write. */
  begin: () => Promise<void>
  rows: (sql: string, parameters?: readonly Parameter[]) => Promise<Row[]>
  /** Inside of a transaction a failure may be thrown only by what comes after it, at the latest by its end. */
  run: (sql: string, parameters?: readonly Parameter[]) => Promise<void>
  /** Commits what the work changes last: who waits for the lake may have it as soon as that is durable. */
  commitLast: () => Promise<void>
  /** Appends rows whose cells are integers, texts, booleans and nulls, in the order of the table's columns. */
  append: (schema: string, table: string, rows: readonly (readonly Cell[])[]) => Promise<void>
  /** Makes what is committed one thing at rest: a catalog and what came after it are one file then. */
  fold: () => Promise<void>
  /** Reads every table to its end, so that damage is found that nobody asked for: where blocks have checksums they are compared. */
  readThrough: () => Promise<void>
  readonly dialect: Dialect
}

/** Runs `work` in one transaction; any error rolls it back. */
export function inTransaction<T>(session: Session, work: () => Promise<T>): Promise<T> {
  return transact(session, work, () => session.run('COMMIT'))
}

/** The same, where the session is asked for nothing afterwards. */
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
    // After some failures (a full disk) DuckDB has rolled back by itself; the first error is the one to tell.
    await session.run('ROLLBACK').catch(() => undefined)
    throw error
  }
}
