import { OtherSourceError } from '../../errors.ts'
import { type Stream, streamId } from '../../model.ts'
import type { Cell, Session } from '../session/session.ts'

/** A stream, with what runs declared about it, so that commands understand its rows and slices without its pipeline. */
export type StreamFacts = Stream & {
  /** Its text, such as `mainnet/P/block`. */
  readonly stream: string
  /** Null for a stream that no run declared, such as that of the table `chains`. */
  readonly pipeline: string | null
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
  /** The id of the node that orders its records; null where the order is the chain's, or the node does not report its id. */
  readonly nodeId: string | null
}

/** The facts about a stream that no run declared. */
export const undeclared = {
  pipeline: null,
  walk: '',
  unit: 'records',
  tables: [],
  trailing: 0,
  overlapping: [],
  begins: {},
  nodeId: null,
} as const

/** The streams of the lake by their texts, in that order: all, or one. */
export async function readStreamFacts(session: Session, stream?: Stream): Promise<Map<string, StreamFacts>> {
  const rows = await session.rows(
    `SELECT * FROM chainlake.stream ${stream === undefined ? '' : 'WHERE stream = $1'} ORDER BY stream`,
    stream === undefined ? [] : [streamId(stream)],
  )
  return new Map(
    rows.map((row) => [
      row['stream'],
      {
        stream: row['stream'],
        network: row['network'],
        path: row['path'],
        kind: row['kind'] ?? undefined,
        chain: row['chain'] ?? undefined,
        parameters: JSON.parse(row['parameters']),
        pipeline: row['pipeline'],
        walk: row['walk'],
        unit: row['unit'],
        tables: JSON.parse(row['tables']),
        trailing: row['read_again'],
        overlapping: JSON.parse(row['overlapping']),
        begins: JSON.parse(row['begins']),
        nodeId: row['node_id'],
      },
    ]),
  )
}

/** Adds the streams that the lake does not have, without what a run declares. */
export async function addStreams(session: Session, streams: readonly Stream[]): Promise<void> {
  const ids = new Map(streams.map((stream) => [streamId(stream), stream]))
  const known = await session.rows('SELECT stream FROM chainlake.stream WHERE stream = ANY($1)', [[...ids.keys()]])
  for (const { stream } of known) ids.delete(stream)
  await session.append(
    'chainlake',
    'stream',
    [...ids].map(([id, stream]) => rowOf({ ...stream, ...undeclared, stream: id })),
  )
}

/**
 * Stores what a run declares about its streams. Later declarations replace earlier ones; of beginnings, the lowest stays. The node stays while
 * the lake has rows in its order.
 *
 * @throws OtherSourceError when another node ordered the rows of a stream.
 */
export async function recordStreamFacts(session: Session, declared: readonly StreamFacts[]): Promise<void> {
  if (declared.length === 0) return
  const known = await readStreamFacts(session)
  const next = new Map<string, StreamFacts>()
  for (const facts of declared) {
    const before = next.get(facts.stream) ?? known.get(facts.stream)
    const nodeId = await orderingNode(session, before?.nodeId ?? null, facts)
    next.set(facts.stream, { ...facts, begins: lowestOf(before?.begins, facts.begins), nodeId })
  }
  const textOf = (facts: StreamFacts | undefined): string => (facts === undefined ? '' : JSON.stringify(rowOf(facts)))
  const changed = [...next.values()].filter((facts) => textOf(known.get(facts.stream)) !== textOf(facts))
  const replaced = changed.map(({ stream }) => stream).filter((stream) => known.has(stream))
  if (replaced.length > 0) await session.run('DELETE FROM chainlake.stream WHERE stream = ANY($1)', [replaced])
  await session.append('chainlake', 'stream', changed.map(rowOf))
}

async function orderingNode(
  session: Session,
  recorded: string | null,
  { stream, nodeId }: StreamFacts,
): Promise<string | null> {
  if (recorded === null || nodeId === null || recorded === nodeId) return nodeId ?? recorded
  const covered = await session.rows('SELECT 1 FROM chainlake.coverage WHERE stream = $1 LIMIT 1', [stream])
  if (covered.length === 0) return nodeId
  throw new OtherSourceError('The node is not the one that the lake has this index from.', {
    details: { stream, 'node of the lake': recorded, 'this node': nodeId },
    hint: `Each node has its own order of this index, so two nodes would store some containers twice and others never. Use the node of the lake, or another --lake. To take this node instead, \`chainlake repair --stream ${stream}\` removes what the other one gave. Nothing was read.`,
  })
}

function lowestOf(before: StreamFacts['begins'] = {}, now: StreamFacts['begins']): StreamFacts['begins'] {
  const lowest = Object.entries(now).map(([table, from]) => [table, Math.min(from, before[table] ?? from)])
  return { ...before, ...Object.fromEntries(lowest) }
}

function rowOf(facts: StreamFacts): Cell[] {
  return [
    facts.stream,
    facts.network,
    facts.path,
    facts.kind ?? null,
    facts.chain ?? null,
    JSON.stringify(facts.parameters),
    facts.pipeline,
    facts.walk,
    facts.unit,
    JSON.stringify(facts.tables),
    facts.trailing,
    JSON.stringify(facts.overlapping),
    JSON.stringify(facts.begins),
    facts.nodeId,
  ]
}
