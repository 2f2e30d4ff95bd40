import { evmBalanceChanges } from '../../../schemas/evm-balance-changes.ts'
import { evmCodeChanges } from '../../../schemas/evm-code-changes.ts'
import { evmNonceChanges } from '../../../schemas/evm-nonce-changes.ts'
import { evmStateReads } from '../../../schemas/evm-state-reads.ts'
import { evmStorageChanges } from '../../../schemas/evm-storage-changes.ts'
import { evmTraces } from '../../../schemas/evm-traces.ts'
import { evmTransactions } from '../../../schemas/evm-transactions.ts'
import type { CoverageRow } from '../../catalog/catalog.ts'
import type { Table } from '../../define/index.ts'
import { groupBy } from '../../lib/group-by.ts'
import { countText } from '../../lib/text/count-text.ts'
import { sqlText } from '../../lib/text/sql-quote.ts'
import { isWhole } from '../../model.ts'
import { intersect, normalise } from '../../plan/intervals.ts'
import { isCChain } from '../../sources/known-networks.ts'
import type { AnswerRow } from '../lake/engine.ts'
import type { Finding, Remark } from '../lake/finding.ts'
import { type Checked, type LakeRows, rowCount } from '../lake/lake-rows.ts'
import { placeOfRow } from '../lake/row-place.ts'
import { type ChainBlocks, inWindow } from './block-windows.ts'

/** How many rows of both tables are compared at once. */
const rowsAtOnce = 1_000_000
const mostFindings = 100

/** Rows about transactions, from a stream over all blocks of a chain. */
type OfTransactions = {
  readonly table: Table
  /** Which transactions have such rows: `every`, every one that was `executed`, or `some` of them. */
  readonly have: 'every' | 'executed' | 'some'
}

/**
 * Each transaction changes the nonce of its sender, and reads it. A transaction that the chain does not trace has a row of traces that says so,
 * but no changes. Another chain than the C-Chain may execute transactions without any change.
 */
export const ofTransactions: readonly OfTransactions[] = [
  { table: evmTraces, have: 'every' },
  { table: evmNonceChanges, have: 'executed' },
  { table: evmStateReads, have: 'executed' },
  { table: evmBalanceChanges, have: 'some' },
  { table: evmCodeChanges, have: 'some' },
  { table: evmStorageChanges, have: 'some' },
]

/** Checks that rows belong to transactions, and transactions have rows, in the blocks that evm-blocks and their own pipeline both cover. */
export async function verifyTraced(rows: LakeRows, own: OfTransactions): Promise<Checked> {
  const findings: Finding[] = []
  const without = new Map<string, number>()
  for (const blocks of blocksOfBoth(rows, own)) {
    const { network, chainId } = blocks
    const mayLack = own.have === 'executed' && !isCChain(network, chainId)
    const alone = await rows.engine.rows(await aloneQuery(rows, own, blocks))
    for (const row of alone) if (row['is_extra'] === true || !mayLack) findings.push(findingOf(rows, own, row))
    const missing = Number(alone[0]?.['missing'] ?? 0)
    const chain = `${network}/${chainId}`
    if (mayLack && missing > 0) without.set(chain, (without.get(chain) ?? 0) + missing)
    if (findings.length >= mostFindings) break
  }
  return { findings: findings.slice(0, mostFindings), remarks: [...without].map(remarkOf(own)) }
}

function remarkOf({ table }: OfTransactions) {
  return ([chain, count]: readonly [string, number]): Remark => ({
    table: table.name,
    message: `${countText(count)} ${count === 1 ? 'transaction' : 'transactions'} of chain ${chain} used gas, but ${count === 1 ? 'has' : 'have'} no rows in ${table.name}. Some chains execute transactions like that.`,
  })
}

/** The blocks that both tables cover completely, cut so that each part has few enough rows. */
function* blocksOfBoth(rows: LakeRows, { table }: OfTransactions): Generator<ChainBlocks> {
  const blocks = covered(rows, evmTransactions)
  const all = rowCount(rows.filesOf(table)) + rowCount(rows.filesOf(evmTransactions))
  for (const { network, chainId, slice } of covered(rows, table)) {
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

/** The blocks of each chain that streams cover without a gap. */
export function coveredBlocks(rows: LakeRows, table: Table): ChainBlocks[] {
  const chains = groupBy(covered(rows, table), ({ network, chainId }) => `${network} ${chainId}`)
  return [...chains.values()].flatMap((slices) => {
    const [{ network, chainId }] = slices as [CoveredChain]
    return normalise(slices.map(({ slice }) => slice)).map((slice) => ({ network, chainId, ...slice }))
  })
}

type CoveredChain = Pick<CoverageRow, 'network' | 'slice'> & { readonly chainId: string }

/** The slices of streams over all blocks of a chain. */
function covered({ inventory }: LakeRows, table: Table): CoveredChain[] {
  return inventory.coverage.flatMap(({ network, origin, slice, table: name }) =>
    name === table.name && isWhole(origin) ? [{ network, chainId: origin.chain ?? '', slice }] : [],
  )
}

/** Chains execute other types of transactions in their own ways, and those without gas not at all. */
const isExecuted = 'transaction_type <= 4 AND gas_used > 0'

async function aloneQuery(rows: LakeRows, { table, have }: OfTransactions, blocks: ChainBlocks): Promise<string> {
  const isMissing = have === 'executed' ? 'own.is_executed' : 'own.block_number IS NOT NULL'
  const side = async (table: Table, executed: string) => {
    const files = await rows.filesBetween(table, 'block_number', { from: blocks.from, to: blocks.to - 1 })
    return `(SELECT DISTINCT block_number, transaction_index, ${executed} AS is_executed FROM ${rows.relation(table, files)} WHERE ${inWindow(blocks)})`
  }
  return `SELECT ${sqlText(blocks.network)} AS network, ${sqlText(blocks.chainId)} AS chain_id,
      coalesce(traced.block_number, own.block_number)::VARCHAR AS block_number,
      coalesce(traced.transaction_index, own.transaction_index)::VARCHAR AS transaction_index, own.block_number IS NULL AS is_extra,
      (count(*) FILTER (WHERE own.block_number IS NOT NULL) OVER ())::INTEGER AS missing
    FROM ${await side(table, 'true')} traced ${have === 'some' ? 'LEFT' : 'FULL'} JOIN ${await side(evmTransactions, isExecuted)} own
      ON traced.block_number = own.block_number AND traced.transaction_index = own.transaction_index
    WHERE (traced.block_number IS NULL AND ${isMissing}) OR own.block_number IS NULL
    ORDER BY is_extra DESC, 3, 4 LIMIT ${mostFindings}`
}

function findingOf({ inventory }: LakeRows, { table }: OfTransactions, row: AnswerRow): Finding {
  const isExtra = row['is_extra'] === true
  const names = ['network', 'chain_id', 'block_number', 'transaction_index']
  return {
    kind: isExtra ? 'rows.orphan' : 'rows.missing',
    message: isExtra
      ? `Rows of ${table.name} belong to no row of ${evmTransactions.name}, although both cover the block.`
      : `A transaction of ${evmTransactions.name} has no rows in ${table.name}, although both cover the block.`,
    ...placeOfRow(inventory, table, row),
    otherTable: evmTransactions.name,
    key: Object.fromEntries(names.map((name) => [name, String(row[name])])),
  }
}
