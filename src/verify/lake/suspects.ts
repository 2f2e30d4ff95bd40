import type { Engine } from './engine.ts'

/** Hashes of what may be wrong. */
export type Suspects = {
  readonly count: number
  /** The first of them, as SQL that may follow IN; null where nothing is wrong. */
  readonly first: string | null
}

/**
 * The first hashes of a query with the columns `h` and `place`, by place. Rows are compared by hashes of a few bytes, and only those of the
 * first suspects by their values: texts of millions of keys do not fit into memory, nor do aggregates of texts and lists spill.
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
