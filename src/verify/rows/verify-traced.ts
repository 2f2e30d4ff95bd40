import { evmTraces } from '../../../schemas/evm-traces.ts'
import { evmTransactions } from '../../../schemas/evm-transactions.ts'
import type { CoverageRow } from '../../catalog/catalog.ts'
import type { Table } from '../../define/index.ts'
import { sqlText } from '../../lib/text/sql-quote.ts'
import { intersect } from '../../plan/intervals.ts'
import type { AnswerRow } from '../lake/engine.ts'
import type { Finding } from '../lake/finding.ts'
import { type Checked, type LakeRows, rowCount } from '../lake/lake-rows.ts'
import { placeOfRow } from '../lake/row-place.ts'
import { type ChainBlocks, inWindow } from './block-windows.ts'

/** How many rows of both tables are compared at once. */
const rowsAtOnce = 1_000_000
const mostFindings = 100

/** Checks that each transaction has a trace and each trace a transaction, in the blocks that evm-traces and evm-blocks both cover. */
export async function verifyTraced(rows: LakeRows): Promise<Checked> {
  const findings: Finding[] = []
  for (const blocks of blocksOfBoth(rows)) {
    for (const row of await rows.engine.rows(await aloneQuery(rows, blocks))) findings.push(findingOf(rows, row))
    if (findings.length >= mostFindings) break
  }
  return { findings: findings.slice(0, mostFindings), remarks: [] }
}

/** The blocks that both tables cover completely, cut so that each part has few enough rows. */
function* blocksOfBoth(rows: LakeRows): Generator<ChainBlocks> {
  const traced = covered(rows, evmTraces, /^evm-traces\/(\d+)$/)
  const blocks = covered(rows, evmTransactions, /^evm-blocks\/(\d+)$/)
  const all = rowCount(rows.filesOf(evmTraces)) + rowCount(rows.filesOf(evmTransactions))
  for (const { network, chainId, slice } of traced) {
    const others = blocks.filter((other) => other.network === network && other.chainId === chainId)
    for (const { from, to } of intersect(
      [slice],
      others.map((other) => other.slice),
    )) {
      const width = Math.max(1, Math.ceil((to - from) / Math.ceil(all / rowsAtOnce)))
      for (let start = from; start < to; start += width)
        yield { network, chainId, from: start, to: Math.min(to, start + width) }
    }
  }
}

type CoveredChain = Pick<CoverageRow, 'network' | 'slice'> & { readonly chainId: string }

/** The slices of streams over all blocks of a chain. The first group of the path is the chain id. */
function covered({ inventory }: LakeRows, table: Table, path: RegExp): CoveredChain[] {
  return inventory.coverage.flatMap(({ network, stream, slice, table: name }) => {
    const chainId = path.exec(stream.slice(network.length + 1))?.[1]
    return name === table.name && chainId !== undefined ? [{ network, chainId, slice }] : []
  })
}

async function aloneQuery(rows: LakeRows, blocks: ChainBlocks): Promise<string> {
  const side = async (table: Table, condition: string) => {
    const files = await rows.filesBetween(table, 'block_number', { from: blocks.from, to: blocks.to - 1 })
    return `(SELECT block_number, transaction_index FROM ${rows.relation(table, files)} WHERE ${inWindow(blocks)} AND ${condition})`
  }
  return `SELECT ${sqlText(blocks.network)} AS network, ${sqlText(blocks.chainId)} AS chain_id,
      coalesce(traced.block_number, own.block_number)::VARCHAR AS block_number,
      coalesce(traced.transaction_index, own.transaction_index)::VARCHAR AS transaction_index, own.block_number IS NULL AS is_extra
    FROM ${await side(evmTraces, 'trace_index = 0')} traced FULL JOIN ${await side(evmTransactions, 'true')} own
      ON traced.block_number = own.block_number AND traced.transaction_index = own.transaction_index
    WHERE traced.block_number IS NULL OR own.block_number IS NULL
    ORDER BY ALL LIMIT ${mostFindings}`
}

function findingOf({ inventory }: LakeRows, row: AnswerRow): Finding {
  const isExtra = row['is_extra'] === true
  const names = ['network', 'chain_id', 'block_number', 'transaction_index']
  return {
    kind: isExtra ? 'rows.orphan' : 'rows.missing',
    message: isExtra
      ? `Rows of ${evmTraces.name} belong to no row of ${evmTransactions.name}, although both cover the block.`
      : `A transaction of ${evmTransactions.name} has no rows in ${evmTraces.name}, although both cover the block.`,
    ...placeOfRow(inventory, evmTraces, row),
    otherTable: evmTransactions.name,
    key: Object.fromEntries(names.map((name) => [name, String(row[name])])),
  }
}
