import { expect } from 'vitest'
import { tables } from '../../../schemas/index.ts'
import { shippedLists } from '../../../src/config/shipped-lists.ts'
import type { Table } from '../../../src/define/index.ts'
import { query } from '../lake-run.ts'

/** The response of `GET /devnet/summary`, which is counted from the chains, not from the routes. */
export type Summary = {
  readonly rows: Readonly<Record<string, number>>
  /** Exact sums as decimal text, by `table.column`, or by `table.column.field` for lists. */
  readonly sums: Readonly<Record<string, string>>
}

export async function readSummary(url: string): Promise<Summary> {
  return (await (await fetch(`${url}/devnet/summary`)).json()) as Summary
}

/** The view with the current rows: for observations and versions, the latest ones. */
function viewOf(name: string): string {
  const listed = shippedLists().flatMap((pipeline) => Object.values(pipeline.tables))
  const table = [...tables, ...listed].find((each): each is Table => each.name === name)
  if (table === undefined) throw new Error(`There is no table ${name}.`)
  return table.history === 'rows' ? name : `${name}_latest`
}

/** The same counts as in the summary, computed from the lake. */
export async function summaryOf(lake: string, of: Summary): Promise<Summary> {
  const counts = Object.keys(of.rows).map(
    (name) => `SELECT '${name}' AS name, count(*)::VARCHAR AS value FROM ${viewOf(name)}`,
  )
  const sums = Object.keys(of.sums).map((path) => {
    const [name = '', column = '', field] = path.split('.')
    const value = field === undefined ? column : `item.${field}`
    const source = field === undefined ? viewOf(name) : `(SELECT unnest(${column}) AS item FROM ${viewOf(name)})`
    return `SELECT '${path}' AS name, coalesce(sum(${value}), 0)::VARCHAR AS value FROM ${source}`
  })
  const read = async (parts: readonly string[]): Promise<[string, string][]> => {
    const rows = (await query(lake, parts.join(' UNION ALL '))) as { name: string; value: string }[]
    return rows.map(({ name, value }) => [name, value])
  }
  const rows = (await read(counts)).map(([name, value]): [string, number] => [name, Number(value)])
  return { rows: Object.fromEntries(rows), sums: Object.fromEntries(await read(sums)) }
}

/**
 * Tables with rows that stay after their objects are gone: a lake that has observed more of the past has more of these rows. Pending rewards
 * stay when the list of nodes has grown, since the earlier list is no subject of an observation any more.
 */
const staying = /^([px]_state_outputs|rest_pending_rewards)\b/

/** Compares a lake with the summary of the network. */
export async function expectWhole(lake: string, summary: Summary): Promise<void> {
  const found = await summaryOf(lake, summary)
  expect(without(found.rows)).toEqual(without(summary.rows))
  expect(without(found.sums)).toEqual(without(summary.sums))
  for (const [name, count] of Object.entries(summary.rows))
    if (staying.test(name)) expect(found.rows[name], name).toBeGreaterThanOrEqual(count)
}

function without<T>(totals: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(totals).filter(([name]) => !staying.test(name)))
}
