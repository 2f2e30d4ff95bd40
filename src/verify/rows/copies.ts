import { cAtomicInputs } from '../../../schemas/c-atomic-inputs.ts'
import { cAtomicOutputs } from '../../../schemas/c-atomic-outputs.ts'
import { cAtomicTransactions } from '../../../schemas/c-atomic-transactions.ts'
import { cBlocks } from '../../../schemas/c-blocks.ts'
import { cCredentials } from '../../../schemas/c-credentials.ts'
import { cSenders } from '../../../schemas/c-senders.ts'
import { cTransactions } from '../../../schemas/c-transactions.ts'
import { containers } from '../../../schemas/containers.ts'
import { evmBalanceChanges } from '../../../schemas/evm-balance-changes.ts'
import { evmBalances } from '../../../schemas/evm-balances.ts'
import { evmBlocks } from '../../../schemas/evm-blocks.ts'
import { evmCalls } from '../../../schemas/evm-calls.ts'
import { evmCodeChanges } from '../../../schemas/evm-code-changes.ts'
import { evmCodes } from '../../../schemas/evm-codes.ts'
import { evmLogs } from '../../../schemas/evm-logs.ts'
import { evmNonceChanges } from '../../../schemas/evm-nonce-changes.ts'
import { evmNonces } from '../../../schemas/evm-nonces.ts'
import { evmStateReads } from '../../../schemas/evm-state-reads.ts'
import { evmStorage } from '../../../schemas/evm-storage.ts'
import { evmStorageChanges } from '../../../schemas/evm-storage-changes.ts'
import { evmTokenTransfers } from '../../../schemas/evm-token-transfers.ts'
import { evmTokens } from '../../../schemas/evm-tokens.ts'
import { evmTraces } from '../../../schemas/evm-traces.ts'
import { evmTransactions } from '../../../schemas/evm-transactions.ts'
import { tables } from '../../../schemas/index.ts'
import { nodeEvmProofs } from '../../../schemas/node-evm-proofs.ts'
import { nodeRewardUtxos } from '../../../schemas/node-reward-utxos.ts'
import { observations } from '../../../schemas/observations.ts'
import { pBlocks } from '../../../schemas/p-blocks.ts'
import { pCredentials } from '../../../schemas/p-credentials.ts'
import { pInputs } from '../../../schemas/p-inputs.ts'
import { pOutputs } from '../../../schemas/p-outputs.ts'
import { pStateOutputs } from '../../../schemas/p-state-outputs.ts'
import { pTransactions } from '../../../schemas/p-transactions.ts'
import { pValidations } from '../../../schemas/p-validations.ts'
import { restErc20Transfers } from '../../../schemas/rest-erc20-transfers.ts'
import { restErc721Transfers } from '../../../schemas/rest-erc721-transfers.ts'
import { restErc1155Transfers } from '../../../schemas/rest-erc1155-transfers.ts'
import { xAssets } from '../../../schemas/x-assets.ts'
import { xBlocks } from '../../../schemas/x-blocks.ts'
import { xCredentials } from '../../../schemas/x-credentials.ts'
import { xInputs } from '../../../schemas/x-inputs.ts'
import { xOperations } from '../../../schemas/x-operations.ts'
import { xOutputs } from '../../../schemas/x-outputs.ts'
import { xTransactions } from '../../../schemas/x-transactions.ts'
import { xVertices } from '../../../schemas/x-vertices.ts'
import type { Table } from '../../define/index.ts'

/** Values that a row repeats from a row of another table, such as its block, transaction, log or observation. */
export type Copy = {
  readonly table: Table
  readonly of: Table
  /** SQL values of each side that identify the row of `of`, in the same order. */
  readonly by: readonly (readonly [own: string, other: string])[]
  /** Columns of the table, or SQL, and SQL of the same values in `of`. */
  readonly values: readonly (readonly [own: string, other: string])[]
  /** SQL conditions on the rows of `table` and of `of`. By default, all rows are compared. */
  readonly where?: readonly [own: string, other: string]
}

type Names = readonly string[]
const same = (names: Names) => names.map((name) => [name, name] as const)
const copy = (table: Table, of: Table, by: Names, values: Names): Copy => ({
  table,
  of,
  by: same(by),
  values: same(values),
})

const chain = ['network', 'blockchain_id']
const evm = ['network', 'chain_id', 'block_number']
const cBlock = [...chain, 'block_number']
const pTransaction = ['network', 'height', 'tx_index']

/** Containers and the rows that repeat when they were accepted. */
const accepted = (of: Table, name: string, id: string): Copy => ({
  table: containers,
  of,
  by: [
    ['network', 'network'],
    ['container_id', id],
  ],
  values: same(['accepted_at', 'accepted_at_ns']),
  where: [name, `${id} IS NOT NULL`],
})

const stateDiffs: readonly Table[] = [
  evmBalanceChanges,
  evmNonceChanges,
  evmCodeChanges,
  evmStorageChanges,
  evmStateReads,
]

/** Changed values, and what the same transaction read before. */
const ofReads = (table: Table, before: string, read: string): Copy => ({
  table,
  of: evmStateReads,
  by: same([...evm, 'transaction_index', 'address', ...('slot' in table.columns ? ['slot'] : [])]),
  values: [[before, read]],
})

/** All values that two tables of the same source hold. */
export const copies: readonly Copy[] = [
  copy(pTransactions, pBlocks, ['network', 'height'], ['block_time', 'block_id']),
  ...[pInputs, pOutputs, pCredentials].map((table) =>
    copy(table, pTransactions, pTransaction, ['block_time', 'tx_id']),
  ),
  copy(pValidations, pTransactions, pTransaction, ['block_time', 'tx_id', 'tx_type']),
  copy(xTransactions, xBlocks, [...chain, 'height'], ['block_time', 'block_id', 'accepted_at', 'container_index']),
  ...[xInputs, xOutputs, xOperations, xCredentials].map((table) =>
    copy(table, xTransactions, [...chain, 'tx_id'], ['height', 'block_time', 'tx_index']),
  ),
  {
    table: xAssets,
    of: xTransactions,
    by: [...same(chain), ['asset_id', 'tx_id']],
    values: same(['block_time']),
  },
  ...[cTransactions, cSenders, cAtomicTransactions].map((table) => copy(table, cBlocks, cBlock, ['block_time'])),
  copy(cSenders, cTransactions, [...cBlock, 'transaction_index'], ['transaction_hash']),
  ...[cAtomicInputs, cAtomicOutputs, cCredentials].map((table) =>
    copy(table, cAtomicTransactions, [...cBlock, 'tx_index'], ['block_time', 'tx_id']),
  ),
  ...[evmTransactions, evmLogs, evmTraces, ...stateDiffs].map((table) => copy(table, evmBlocks, evm, ['block_time'])),
  ...[evmLogs, evmTraces, ...stateDiffs].map((table) =>
    copy(table, evmTransactions, [...evm, 'transaction_index'], ['transaction_hash']),
  ),
  {
    // The first call of a transaction is the transaction itself. A failed creation has no address in the traces.
    table: evmTraces,
    of: evmTransactions,
    by: same([...evm, 'transaction_index']),
    values: [
      ...same(['from_address', 'value_raw', 'gas_used', 'input']),
      ['gas', 'gas_limit'],
      ['to_address IS NULL AND NOT reverted', 'false'],
      ['to_address', 'coalesce(to_address, contract_address)'],
      ["call_type = 'CREATE'", 'to_address IS NULL'],
      ['reverted', 'status = 0'],
    ],
    where: ["trace_index = 0 AND call_type <> 'UNTRACED'", 'true'],
  },
  {
    // Each transaction raises the nonce of its sender.
    table: evmNonceChanges,
    of: evmTransactions,
    by: [...same([...evm, 'transaction_index']), ['address', 'from_address']],
    values: [
      ['nonce_before', 'nonce'],
      ['nonce_after <= nonce_before', 'false'],
    ],
  },
  ...(
    [
      [evmBalanceChanges, 'balance_before_raw', 'balance_raw'],
      [evmNonceChanges, 'nonce_before', 'nonce'],
      [evmCodeChanges, 'code_hash_before', 'code_hash'],
    ] as const
  ).map(([table, before, read]): Copy => ({ ...ofReads(table, before, read), where: ['true', 'slot IS NULL'] })),
  ofReads(evmStorageChanges, 'slot_value_before', 'slot_value'),
  {
    table: evmTokenTransfers,
    of: evmLogs,
    by: same([...evm, 'transaction_index', 'log_index']),
    values: [...same(['block_time', 'transaction_hash']), ['token_address', 'address']],
  },
  ...[restErc20Transfers, restErc721Transfers, restErc1155Transfers].map((table) =>
    copy(table, evmBlocks, evm, ['block_hash']),
  ),
  ...[nodeEvmProofs, evmBalances, evmNonces, evmCodes, evmStorage, evmCalls, evmTokens].map((table) =>
    copy(table, evmBlocks, evm, ['block_hash', 'block_time']),
  ),
  {
    table: pStateOutputs,
    of: nodeRewardUtxos,
    by: same(['network', 'tx_id']),
    values: same(['staked_tx_id']),
    where: ["origin = 'reward'", 'true'],
  },
  accepted(pBlocks, "chain = 'P'", 'container_id'),
  accepted(cBlocks, "chain = 'C'", 'container_id'),
  accepted(xBlocks, "chain NOT IN ('P', 'C') AND chain NOT LIKE '%/%'", 'container_id'),
  accepted(xVertices, "chain LIKE '%/vtx'", 'vertex_id'),
  ...tables
    .filter(({ history, name }) => history === 'observations' && name !== observations.name)
    .map((table) => copy(table, observations, ['network', 'subject', 'observation_id'], ['observed_at'])),
]
