import { tables } from '../../schemas/index.ts'
import type { Table } from '../../src/define/index.ts'
import { query } from './lake-run.ts'

/** Columns with the time of an answer, or with an id of the observation. */
const ofReading = new Set(['observed_at', 'observation_id', 'completed_at', 'read_at'])

/**
 * Number and hash of the rows of each table as sets, over the compared columns without those of the observation. Null: the table is not
 * compared.
 */
export async function comparedRows(
  lake: string,
  columnsOf: (table: Table) => readonly string[] | null,
): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const table of tables) {
    const columns = columnsOf(table)?.filter((name) => !ofReading.has(name))
    if (columns === undefined) continue
    const row = `row(${columns.map((name) => `"${name}"`).join(', ')})::text`
    const [{ n, h } = {}] = await query(
      lake,
      `select count(*) as n, md5(coalesce(string_agg(md5(${row}), '' order by md5(${row})), '')) as h from ${table.name}`,
    )
    found[table.name] = `${n} rows ${h}`
  }
  return found
}
