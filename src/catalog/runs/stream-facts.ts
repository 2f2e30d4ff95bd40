import type { Cell, Session } from '../session/session.ts'

/** What a run declares about a stream, so that commands understand its rows and slices without its pipeline. */
export type StreamFacts = {
  /** Such as `mainnet/P/block`. */
  readonly stream: string
  readonly pipeline: string
  /** Kind of the walk, such as `range` or `keyed`. */
  readonly walk: string
  /** What its slices count, in the plural: `containers`, `blocks`, `seconds`. */
  readonly unit: string
  /** Names of the tables that it fills. A key of a keyed walk is read when the first one has its row. */
  readonly tables: readonly string[]
  /** How far below the newest rows each run reads again: coordinates of a range, seconds of a list. */
  readonly trailing: number
  /** Paths of streams of the network that may hold the same rows. */
  readonly overlapping: readonly string[]
}

export async function readStreamFacts(session: Session): Promise<StreamFacts[]> {
  const rows = await session.rows('SELECT * FROM chainlake.stream ORDER BY stream')
  return rows.map((row) => ({
    stream: row['stream'],
    pipeline: row['pipeline'],
    walk: row['walk'],
    unit: row['unit'],
    tables: JSON.parse(row['tables']),
    trailing: row['read_again'],
    overlapping: JSON.parse(row['overlapping']),
  }))
}

/** Stores what a run declares about its streams. Later declarations replace earlier ones. */
export async function recordStreamFacts(session: Session, declared: readonly StreamFacts[]): Promise<void> {
  if (declared.length === 0) return
  const textOf = (facts: StreamFacts): string => JSON.stringify(rowOf(facts))
  const known = new Map((await readStreamFacts(session)).map((facts) => [facts.stream, textOf(facts)]))
  const changed = declared.filter((facts) => known.get(facts.stream) !== textOf(facts))
  const replaced = changed.map(({ stream }) => stream).filter((stream) => known.has(stream))
  if (replaced.length > 0) await session.run('DELETE FROM chainlake.stream WHERE stream = ANY($1)', [replaced])
  await session.append('chainlake', 'stream', changed.map(rowOf))
}

function rowOf({ stream, pipeline, walk, unit, tables, trailing, overlapping }: StreamFacts): Cell[] {
  return [stream, pipeline, walk, unit, JSON.stringify(tables), trailing, JSON.stringify(overlapping)]
}
