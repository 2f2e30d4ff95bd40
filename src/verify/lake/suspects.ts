import type { Engine } from './engine.ts'

/** Hashes of rows that may be wrong. */
type Suspects = {
  readonly count: number
  /** The first hashes, as an SQL list for IN; null if there are none. */
  readonly first: string | null
}

/**
 * The first hashes, ordered by place, of a query with the columns `h` and `place`. Checks compare all rows by hashes of a few bytes and only
 * the first suspects by value: texts of millions of keys do not fit into memory, and DuckDB cannot spill aggregates of texts and lists.
 */
export async function findSuspects({ rows }: Pick<Engine, 'rows'>, query: string, most: number): Promise<Suspects> {
  await rows(`CREATE OR REPLACE TEMP TABLE suspects AS ${query}`)
  const [all] = await rows('SELECT count(*)::INTEGER AS n FROM suspects')
  const first = await rows(`SELECT h::VARCHAR AS h FROM suspects ORDER BY place, h LIMIT ${most}`)
  await rows('DROP TABLE suspects')
  return {
    count: all?.['n'] ?? 0,
    first: first.length === 0 ? null : `(${first.map(({ h }) => `${h}::UBIGINT`).join(', ')})`,
  }
}
