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
  /** The lowest first coordinate of the jobs that filled each table. Omitted for tables of jobs that begin at a time or count from the end. */
  readonly begins: Readonly<Record<string, number>>
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
    begins: JSON.parse(row['begins']),
  }))
}

/** Stores what a run declares about its streams. Later declarations replace earlier ones; of beginnings, the lowest stays. */
export async function recordStreamFacts(session: Session, declared: readonly StreamFacts[]): Promise<void> {
  if (declared.length === 0) return
  const known = new Map((await readStreamFacts(session)).map((facts) => [facts.stream, facts]))
  const next = new Map<string, StreamFacts>()
  for (const facts of declared) {
    const before = (next.get(facts.stream) ?? known.get(facts.stream))?.begins
    next.set(facts.stream, { ...facts, begins: lowestOf(before, facts.begins) })
  }
  const textOf = (facts: StreamFacts | undefined): string => (facts === undefined ? '' : JSON.stringify(rowOf(facts)))
  const changed = [...next.values()].filter((facts) => textOf(known.get(facts.stream)) !== textOf(facts))
  const replaced = changed.map(({ stream }) => stream).filter((stream) => known.has(stream))
  if (replaced.length > 0) await session.run('DELETE FROM chainlake.stream WHERE stream = ANY($1)', [replaced])
  await session.append('chainlake', 'stream', changed.map(rowOf))
}

function lowestOf(before: StreamFacts['begins'] = {}, now: StreamFacts['begins']): StreamFacts['begins'] {
  const lowest = Object.entries(now).map(([table, from]) => [table, Math.min(from, before[table] ?? from)])
  return { ...before, ...Object.fromEntries(lowest) }
}

function rowOf({ stream, pipeline, walk, unit, tables, trailing, overlapping, begins }: StreamFacts): Cell[] {
  return [
    stream,
    pipeline,
    walk,
    unit,
    JSON.stringify(tables),
    trailing,
    JSON.stringify(overlapping),
    JSON.stringify(begins),
  ]
}
