import { cAtomicInputs } from '../../../schemas/c-atomic-inputs.ts'
import { cAtomicOutputs } from '../../../schemas/c-atomic-outputs.ts'
import { cAtomicTransactions } from '../../../schemas/c-atomic-transactions.ts'
import { cBlocks } from '../../../schemas/c-blocks.ts'
import { cCredentials } from '../../../schemas/c-credentials.ts'
import { cSenders } from '../../../schemas/c-senders.ts'
import { cTransactions } from '../../../schemas/c-transactions.ts'
import { evmBlocks } from '../../../schemas/evm-blocks.ts'
import { evmLogs } from '../../../schemas/evm-logs.ts'
import { evmTokenTransfers } from '../../../schemas/evm-token-transfers.ts'
import { evmTransactions } from '../../../schemas/evm-transactions.ts'
import { nodeHealth } from '../../../schemas/node-health.ts'
import { nodeHealthReports } from '../../../schemas/node-health-reports.ts'
import { pBlocks } from '../../../schemas/p-blocks.ts'
import { pCredentials } from '../../../schemas/p-credentials.ts'
import { pInputs } from '../../../schemas/p-inputs.ts'
import { pOutputs } from '../../../schemas/p-outputs.ts'
import { pTransactions } from '../../../schemas/p-transactions.ts'
import { pValidations } from '../../../schemas/p-validations.ts'
import { xAssets } from '../../../schemas/x-assets.ts'
import { xBlocks } from '../../../schemas/x-blocks.ts'
import { xCredentials } from '../../../schemas/x-credentials.ts'
import { xInputs } from '../../../schemas/x-inputs.ts'
import { xOperations } from '../../../schemas/x-operations.ts'
import { xOutputs } from '../../../schemas/x-outputs.ts'
import { xTransactions } from '../../../schemas/x-transactions.ts'
import type { Table } from '../../define/index.ts'
import type { Place } from '../lake/row-parts.ts'

/** How many rows of one table belong to each row of another. */
export type Count = {
  readonly of: Table
  /** The column of `of` (or SQL) that holds the number. Null if there is none: then each row of `rows` only needs a row of `of`. */
  readonly number: string | null
  readonly rows: Table
  /** Columns that both tables have, besides the height or block number. */
  readonly by: readonly string[]
  /** The column that both tables are partitioned by; null if the rows of the two tables are not at the same heights. */
  readonly place: Place | null
  /** A pair of columns that match under different names. */
  readonly as?: { readonly of: string; readonly rows: string }
  /** Set if rows may be read without the rows that they belong to, such as logs by filter. */
  readonly alone?: true
}

const x = ['network', 'blockchain_id'] as const
const evm = ['network', 'chain_id'] as const

/** All numbers in a table that count rows of another table. */
export const counts: readonly Count[] = [
  { of: pBlocks, number: 'tx_count', rows: pTransactions, by: ['network'], place: 'height' },
  { of: pTransactions, number: 'input_count', rows: pInputs, by: ['network', 'tx_index'], place: 'height' },
  { of: pTransactions, number: 'output_count', rows: pOutputs, by: ['network', 'tx_index'], place: 'height' },
  { of: pTransactions, number: 'signature_count', rows: pCredentials, by: ['network', 'tx_index'], place: 'height' },
  { of: pTransactions, number: null, rows: pValidations, by: ['network', 'tx_index'], place: 'height' },
  { of: xBlocks, number: 'tx_count', rows: xTransactions, by: x, place: 'height' },
  { of: xTransactions, number: 'input_count', rows: xInputs, by: [...x, 'tx_id'], place: null },
  { of: xTransactions, number: 'output_count', rows: xOutputs, by: [...x, 'tx_id'], place: null },
  { of: xTransactions, number: 'operation_count', rows: xOperations, by: [...x, 'tx_id'], place: null },
  { of: xTransactions, number: 'signature_count', rows: xCredentials, by: [...x, 'tx_id'], place: null },
  {
    of: xTransactions,
    number: "CASE WHEN tx_type = 'CreateAssetTx' THEN 1 ELSE 0 END",
    rows: xAssets,
    by: x,
    as: { of: 'tx_id', rows: 'asset_id' },
    place: null,
  },
  { of: cBlocks, number: 'transaction_count', rows: cTransactions, by: x, place: 'block_number' },
  { of: cBlocks, number: 'atomic_transaction_count', rows: cAtomicTransactions, by: x, place: 'block_number' },
  { of: cTransactions, number: '1', rows: cSenders, by: [...x, 'transaction_index'], place: 'block_number' },
  {
    of: cAtomicTransactions,
    number: 'input_count',
    rows: cAtomicInputs,
    by: [...x, 'tx_index'],
    place: 'block_number',
  },
  {
    of: cAtomicTransactions,
    number: 'output_count',
    rows: cAtomicOutputs,
    by: [...x, 'tx_index'],
    place: 'block_number',
  },
  {
    of: cAtomicTransactions,
    number: 'signature_count',
    rows: cCredentials,
    by: [...x, 'tx_index'],
    place: 'block_number',
  },
  { of: evmBlocks, number: 'transaction_count', rows: evmTransactions, by: evm, place: 'block_number' },
  { of: evmBlocks, number: 'log_count', rows: evmLogs, by: evm, place: 'block_number', alone: true },
  {
    of: evmTransactions,
    number: 'log_count',
    rows: evmLogs,
    by: [...evm, 'transaction_index'],
    place: 'block_number',
    alone: true,
  },
  {
    of: nodeHealthReports,
    number: 'check_count',
    rows: nodeHealth,
    by: ['network', 'endpoint', 'transport', 'tags', 'observation_id'],
    place: null,
  },
  {
    of: evmLogs,
    number: null,
    rows: evmTokenTransfers,
    by: [...evm, 'transaction_index', 'log_index'],
    place: 'block_number',
  },
]
