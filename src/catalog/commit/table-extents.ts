import { blockTime } from '../../define/index.ts'
import type { ReadRange } from '../../model.ts'
import type { Session } from '../session/session.ts'
import { readRanges } from './read-ranges.ts'

/** How much a table has. */
export type TableExtent = {
  readonly rows: number
  /** The newest value of each column of times, in microseconds since 1970 UTC. */
  readonly newest: ReadonlyMap<string, bigint>
  /** What streams have read for it. */
  readonly ranges: readonly ReadRange[]
}

/** The extents of the tables that have rows, or for which something was read. Reads statistics and no file. */
export async function readTableExtents(session: Session): Promise<Map<string, TableExtent>> {
  const visible = `main.ducklake_data_file d
     JOIN main.ducklake_table t ON t.table_id = d.table_id AND t.end_snapshot IS NULL`
  const rows = await session.rows(
    `SELECT t.table_name AS name, CAST(sum(d.record_count) AS BIGINT) AS n FROM ${visible}
     WHERE d.end_snapshot IS NULL GROUP BY t.table_name`,
  )
  const { microseconds, tryCast } = session.dialect
  const times = await session.rows(
    `SELECT t.table_name AS name, c.column_name AS time, max(${microseconds(tryCast('s.max_value', 'TIMESTAMPTZ'))}) AS newest
     FROM ${visible}
     JOIN main.ducklake_column c ON c.table_id = t.table_id AND c.end_snapshot IS NULL AND c.column_type = 'timestamptz'
     JOIN main.ducklake_file_column_stats s ON s.data_file_id = d.data_file_id AND s.column_id = c.column_id
     WHERE d.end_snapshot IS NULL GROUP BY t.table_name, c.column_name`,
  )
  const ranges = await readRanges(session)
  const names = new Set([...rows.map(({ name }) => String(name)), ...ranges.map(({ table }) => table)])
  return new Map(
    [...names].map((name) => {
      const newest = times.flatMap((each): [string, bigint][] =>
        each['name'] === name && each['newest'] !== null ? [[String(each['time']), BigInt(each['newest'])]] : [],
      )
      return [
        name,
        {
          rows: Number(rows.find((each) => each['name'] === name)?.['n'] ?? 0),
          newest: new Map(newest),
          ranges: ranges.filter(({ table }) => table === name),
        },
      ]
    }),
  )
}

/**
 * The newest block time of each stream that has any, by stream id, from the statistics of the visible files. A file that several small streams
 * share counts for each of them.
 */
export async function readNewestTimes(session: Session): Promise<Map<string, Date>> {
  const rows = await session.rows(
    `SELECT f.stream, max(${session.dialect.tryCast('s.max_value', 'TIMESTAMPTZ')}) AS newest
     FROM chainlake.file f
     JOIN main.ducklake_data_file d ON d.data_file_id = f.data_file_id AND d.end_snapshot IS NULL
     JOIN main.ducklake_column c ON c.table_id = d.table_id AND c.end_snapshot IS NULL
       AND c.column_name = '${blockTime}' AND c.parent_column IS NULL
     JOIN main.ducklake_file_column_stats s ON s.data_file_id = d.data_file_id AND s.column_id = c.column_id
     GROUP BY f.stream`,
  )
  return new Map(rows.flatMap(({ stream, newest }) => (newest === null ? [] : [[stream, newest]])))
}

/**
 * The highest value of a column of numbers or times (microseconds since 1970 UTC) among the rows of each stream, from the statistics of the
 * visible files that have rows of no other stream. Streams without such a file are omitted.
 */
export async function readHighest(session: Session, column: string): Promise<Map<string, bigint>> {
  const { microseconds, tryCast } = session.dialect
  const rows = await session.rows(
    `SELECT own.stream, CAST(max(CASE WHEN c.column_type = 'timestamptz' THEN ${microseconds(tryCast('s.max_value', 'TIMESTAMPTZ'))}
                          ELSE ${tryCast('s.max_value', 'HUGEINT')} END) AS VARCHAR) AS highest
     FROM (SELECT data_file_id, min(stream) AS stream FROM chainlake.file GROUP BY data_file_id HAVING min(stream) = max(stream)) own
     JOIN main.ducklake_data_file d ON d.data_file_id = own.data_file_id AND d.end_snapshot IS NULL
     JOIN main.ducklake_column c ON c.table_id = d.table_id AND c.end_snapshot IS NULL AND c.column_name = $1 AND c.parent_column IS NULL
     JOIN main.ducklake_file_column_stats s ON s.data_file_id = d.data_file_id AND s.column_id = c.column_id
     GROUP BY own.stream`,
    [column],
  )
  return new Map(rows.flatMap(({ stream, highest }) => (highest === null ? [] : [[stream, BigInt(highest)]])))
}
