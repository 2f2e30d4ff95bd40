export type Cell = string | number | bigint | boolean | null
/** A value of a prepared statement; a list of texts becomes `VARCHAR[]`. */
export type Parameter = Cell | readonly string[]
/** Integers arrive as numbers: every integer of the catalog counts files, rows, bytes or ids. */
export type Row = Record<string, any>

/** An open catalog: valid only inside the work that it was given to. */
export type Session = {
  /** Begins a transaction that may write. */
  begin: () => Promise<void>
  rows: (sql: string, parameters?: readonly Parameter[]) => Promise<Row[]>
  run: (sql: string, parameters?: readonly Parameter[]) => Promise<void>
  /** Appends rows whose cells are integers, texts, booleans and nulls, in the order of the table's columns. */
  append: (schema: string, table: string, rows: readonly (readonly Cell[])[]) => Promise<void>
  /** Makes what is committed one thing at rest: a catalog and what came after it are one file then. */
  fold: () => Promise<void>
}

/** Runs `work` in one transaction; any error rolls it back. */
export async function inTransaction<T>(session: Session, work: () => Promise<T>): Promise<T> {
  await session.begin()
  try {
    const result = await work()
    await session.run('COMMIT')
    return result
  } catch (error) {
    // After some failures (a full disk) DuckDB has rolled back by itself; the first error is the one to tell.
    await session.run('ROLLBACK').catch(() => undefined)
    throw error
  }
}
