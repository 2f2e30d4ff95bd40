import type { Inventory, StreamFacts } from '../../catalog/catalog.ts'
import type { Table } from '../../define/index.ts'
import { sqlName, sqlText } from '../../lib/text/sql-quote.ts'
import type { Slice } from '../../model.ts'
import { subtract } from '../../plan/intervals.ts'
import type { Remark } from './finding.ts'
import { chainId } from './row-place.ts'
import { tablesReadTogether } from './stream-reading.ts'

/** Slices of a stream that one of two tables covers and the other does not: a repair removed them, and the next run reads them again. */
type Waiting = { readonly stream: string; readonly origin: StreamFacts; readonly slices: readonly Slice[] }

/** The slices that `there` covers and `missing` does not, by stream. */
export function waitingFor(
  { coverage }: Pick<Inventory, 'coverage'>,
  missing: Pick<Table, 'name'>,
  there: Pick<Table, 'name'>,
): Waiting[] {
  const streams = new Map(coverage.flatMap((row) => (row.table === there.name ? [[row.stream, row.origin]] : [])))
  return [...streams].flatMap(([stream, origin]) => {
    const of = (table: string) =>
      coverage.flatMap((row) => (row.stream === stream && row.table === table ? [row.slice] : []))
    const slices = subtract(of(there.name), of(missing.name))
    return slices.length === 0 ? [] : [{ stream, origin, slices }]
  })
}

/** An SQL condition that selects the rows in waiting slices. It selects all rows without a height, which predate the linear X-Chain. */
export function waitingCondition(inventory: Inventory, table: Table, waiting: readonly Waiting[]): string {
  const place = 'block_number' in table.columns ? 'block_number' : 'height'
  const each = waiting.map(({ origin, slices }) => {
    const { network, chain: name = '', kind = '' } = origin
    const chain = [
      `network = ${sqlText(network)}`,
      ...('blockchain_id' in table.columns && !table.name.startsWith('p_')
        ? [`blockchain_id = ${sqlText(chainId(inventory, network, name))}`]
        : []),
      ...('chain_id' in table.columns ? [`chain_id = ${sqlText(name)}`] : []),
    ]
    const places = slices.map(({ from, to }) => `${sqlName(place)} BETWEEN ${from} AND ${to - 1}`)
    return `(${chain.join(' AND ')} AND ${kind === 'tx' ? `${sqlName(place)} IS NULL` : `(${places.join(' OR ')})`})`
  })
  return each.length === 0 ? 'false' : `(${each.join(' OR ')})`
}

/** Remarks about slices that some tables of a stream cover and others do not. */
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
        message: `The next run reads ${shown.join(', ')}${more} of ${stream} for ${table}: other tables of the stream cover them, ${table} does not (usual after a repair).`,
      })
    }
  }
  return remarks
}
