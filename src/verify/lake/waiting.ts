import type { Inventory } from '../../catalog/catalog.ts'
import type { Table } from '../../define/index.ts'
import { sqlName, sqlText } from '../../lib/text/sql-quote.ts'
import type { Slice } from '../../model.ts'
import { subtract } from '../../plan/intervals.ts'
import type { Remark } from './finding.ts'
import { chainId } from './row-place.ts'
import { tablesReadTogether } from './stream-reading.ts'

/** What of a stream one table covers and another one does not, though both are read together: a repair took it out, the next run reads it. */
export type Waiting = { readonly network: string; readonly stream: string; readonly slices: readonly Slice[] }

/** What `there` covers and `lacking` does not, stream by stream. */
export function waitingFor(
  { coverage }: Pick<Inventory, 'coverage'>,
  lacking: Pick<Table, 'name'>,
  there: Pick<Table, 'name'>,
): Waiting[] {
  const streams = new Map(coverage.flatMap((row) => (row.table === there.name ? [[row.stream, row.network]] : [])))
  return [...streams].flatMap(([stream, network]) => {
    const of = (table: string) =>
      coverage.flatMap((row) => (row.stream === stream && row.table === table ? [row.slice] : []))
    const slices = subtract(of(there.name), of(lacking.name))
    return slices.length === 0 ? [] : [{ network, stream, slices }]
  })
}

/** Which rows of a table lie in what waits, as SQL. Rows of before the X chain was linear have no height: of these all do. */
export function waitingCondition(inventory: Inventory, table: Table, waiting: readonly Waiting[]): string {
  const place = 'block_number' in table.columns ? 'block_number' : 'height'
  const first = table.name.startsWith('evm_') ? 0 : 1
  const each = waiting.map(({ network, stream, slices }) => {
    const [name = '', index = ''] = stream
      .slice(network.length + 1)
      .replace(/\?.*$/s, '')
      .split('/')
    const chain = [
      `network = ${sqlText(network)}`,
      ...('blockchain_id' in table.columns && !table.name.startsWith('p_')
        ? [`blockchain_id = ${sqlText(chainId(inventory, network, name))}`]
        : []),
      ...('chain_id' in table.columns ? [`chain_id = ${sqlText(index)}`] : []),
    ]
    const places = slices.map(({ from, to }) => `${sqlName(place)} BETWEEN ${from + first} AND ${to + first - 1}`)
    return `(${chain.join(' AND ')} AND ${index === 'tx' ? `${sqlName(place)} IS NULL` : `(${places.join(' OR ')})`})`
  })
  return each.length === 0 ? 'false' : `(${each.join(' OR ')})`
}

/** What the next run reads, of every stream whose tables are read together. */
export async function waitingRemarks(inventory: Inventory): Promise<Remark[]> {
  const remarks: Remark[] = []
  for (const stream of new Set(inventory.coverage.map((row) => row.stream))) {
    const own = inventory.coverage.filter((row) => row.stream === stream)
    const [first] = own
    const tables = first === undefined ? [] : await tablesReadTogether(inventory, first)
    const covered = own.filter(({ table }) => tables.includes(table)).map(({ slice }) => slice)
    for (const table of tables) {
      const slices = subtract(
        covered,
        own.flatMap((row) => (row.table === table ? [row.slice] : [])),
      )
      if (slices.length === 0) continue
      const shown = slices.slice(0, 5).map(({ from, to }) => `[${from}, ${to})`)
      const more = slices.length > shown.length ? ` and ${slices.length - shown.length} more` : ''
      remarks.push({
        stream,
        table,
        message: `${shown.join(', ')}${more} of ${stream} await the next run: other tables cover that, ${table} does not, as after a repair.`,
      })
    }
  }
  return remarks
}
