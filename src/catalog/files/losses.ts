import type { Session } from '../session/session.ts'
import type { FileSource } from './file-facts.ts'

/** A file that is removed although no source can return its rows again. */
export type NewLoss = {
  readonly table: string
  /** Null if the table is not partitioned by network. */
  readonly network: string | null
  readonly rows: number
  /** When the last of its rows was observed, in the text form of the catalog; null if unknown. */
  readonly observedTo: string | null
  readonly sources: readonly FileSource[]
}

/** Stored versions of a table may not be the latest ones, because a file with later versions was lost. */
export type Loss = {
  readonly table: string
  readonly network: string | null
  /** Versions up to this time are affected, in microseconds since 1970 UTC. */
  readonly observedTo: bigint
}

/** Records losses inside the transaction that removes their files. */
export async function recordLosses(session: Session, losses: readonly NewLoss[]): Promise<void> {
  for (const { table, network, rows, observedTo, sources } of losses)
    for (const { stream, slice } of sources)
      await session.run(
        `INSERT INTO chainlake.loss VALUES ($1, $2, $3, $4, $5, $6, coalesce(${session.dialect.tryCast('$7', 'TIMESTAMPTZ')}, now()), now())`,
        [table, network, stream, slice?.from ?? null, slice?.to ?? null, rows, observedTo],
      )
}

/** Names of all tables that ever lost rows. */
export async function readTablesWithLosses(session: Session): Promise<Set<string>> {
  const rows = await session.rows('SELECT DISTINCT table_name FROM chainlake.loss')
  return new Set(rows.map((row) => row['table_name']))
}

/** Losses with a stream that has not been read again since. A later complete read replaces what was lost. */
export async function readLosses(session: Session): Promise<Loss[]> {
  const rows = await session.rows(
    `SELECT table_name, network, (${session.dialect.microseconds('max(observed_to)')})::VARCHAR AS observed_to FROM chainlake.loss l
     WHERE CASE WHEN l.slice_from IS NULL
       THEN NOT EXISTS (SELECT 1 FROM chainlake.observation o
         WHERE o.stream = l.stream AND o.outcome IS NOT NULL AND o.completed > l.lost_at)
       ELSE NOT EXISTS (SELECT 1 FROM chainlake.coverage c WHERE c.stream = l.stream AND c.table_name = l.table_name
         AND c.slice_from <= l.slice_from AND c.slice_to >= l.slice_to)
     END
     GROUP BY table_name, network ORDER BY table_name, network`,
  )
  return rows.map((row) => ({
    table: row['table_name'],
    network: row['network'],
    observedTo: BigInt(row['observed_to']),
  }))
}
