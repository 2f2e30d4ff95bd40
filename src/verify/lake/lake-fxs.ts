import type { FxOrder } from '../../../codec/x/fxs.ts'
import { pTransactions } from '../../../schemas/p-transactions.ts'
import type { CoverageRow } from '../../catalog/catalog.ts'
import { sqlText } from '../../lib/text/sql-quote.ts'
import { fxOrder } from '../../sources/chain-fxs.ts'
import type { Unverifiable } from './finding.ts'
import type { LakeRows } from './lake-rows.ts'

export function hasOwnTypes(chain: string): boolean {
  return !/^[PXC]$/.test(chain)
}

/** Feature extensions of another chain of the asset VM, from its CreateChainTx in the lake; null for P, X and C. */
export async function fxsInLake(rows: LakeRows, row: CoverageRow): Promise<FxOrder | null | 'unknown'> {
  const chain = row.origin.chain ?? ''
  if (!hasOwnTypes(chain)) return null
  if (rows.torn(pTransactions)) return 'unknown'
  const [found] = await rows.engine.rows(
    `SELECT fx_ids FROM ${rows.relation(pTransactions, rows.filesOf(pTransactions))}
     WHERE network = ${sqlText(row.network)} AND tx_id = ${sqlText(chain)} AND tx_type = 'CreateChainTx' LIMIT 1`,
  )
  return found === undefined ? 'unknown' : fxOrder(chain, found['fx_ids'] as string[])
}

export function fxsUnknown({ stream, table }: Pick<CoverageRow, 'stream' | 'table'>): Unverifiable {
  return {
    table,
    stream,
    reason:
      'the CreateChainTx of this chain, which determines how its containers are decoded, is not in the lake: run p-blocks to export it.',
  }
}
