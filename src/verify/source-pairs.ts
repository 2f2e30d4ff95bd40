import { cAtomicTransactions } from '../../schemas/c-atomic-transactions.ts'
import { cBlocks } from '../../schemas/c-blocks.ts'
import { cSenders } from '../../schemas/c-senders.ts'
import { cTransactions } from '../../schemas/c-transactions.ts'
import { evmBlocks } from '../../schemas/evm-blocks.ts'
import { evmTokenTransfers } from '../../schemas/evm-token-transfers.ts'
import { evmTransactions } from '../../schemas/evm-transactions.ts'
import { pBlocks } from '../../schemas/p-blocks.ts'
import { pOutputs } from '../../schemas/p-outputs.ts'
import { pStateOutputs } from '../../schemas/p-state-outputs.ts'
import { pTransactions } from '../../schemas/p-transactions.ts'
import { restCAtomicTransactions } from '../../schemas/rest-c-atomic-transactions.ts'
import { restErc20Transfers } from '../../schemas/rest-erc20-transfers.ts'
import { restErc721Transfers } from '../../schemas/rest-erc721-transfers.ts'
import { restErc1155Transfers } from '../../schemas/rest-erc1155-transfers.ts'
import { restEvmBlocks } from '../../schemas/rest-evm-blocks.ts'
import { restNodeBlocks } from '../../schemas/rest-node-blocks.ts'
import { restPTransactions } from '../../schemas/rest-p-transactions.ts'
import { restRewards } from '../../schemas/rest-rewards.ts'
import { restUtxos } from '../../schemas/rest-utxos.ts'
import { restXTransactions } from '../../schemas/rest-x-transactions.ts'
import { restXVertices } from '../../schemas/rest-x-vertices.ts'
import { xBlocks } from '../../schemas/x-blocks.ts'
import { xOutputs } from '../../schemas/x-outputs.ts'
import { xTransactions } from '../../schemas/x-transactions.ts'
import { xVertices } from '../../schemas/x-vertices.ts'
import type { Table } from '../define/index.ts'

/** A table, with what of it the other source says too. */
type Side = {
  readonly table: Table
  /** Values that name a row, as SQL, in the same order on both sides. */
  readonly key: readonly string[]
  /** Which rows; all when absent. `$chain` stands for: it is the C chain, by its EVM chain id or its blockchain id. */
  readonly where?: string
}

/** The same things from two sources. */
export type SourcePair = {
  /** What was decoded or read from a chain. */
  readonly own: Side
  /** What another interface says. */
  readonly other: Side
  /** Values that both say, by name, as SQL of either side. One that a side leaves out is not held against it. */
  readonly values: Readonly<Record<string, readonly [own: string, other: string]>>
  /** The column of the other that says at which height a row is: where the first covers that, it must have the row. Absent: unknown. */
  readonly place?: 'height' | 'block_number'
  /** Whether both are covered by heights, so that rows of the first must be in the other, too. */
  readonly bothCovered?: true
}

const network = 'network'
const same = (...names: readonly string[]): Record<string, readonly [string, string]> =>
  Object.fromEntries(names.map((name) => [name, [name, name] as const]))
const transfer = {
  ...same('from_address', 'to_address', 'transaction_hash'),
  token: ['token_address', 'lower(token_address)'] as const,
}
const transferKey = [network, 'block_number', 'log_index']
const restTransfer = (table: Table, standard: string, position: string): SourcePair => ({
  own: {
    table: evmTokenTransfers,
    key: [...transferKey, position === '0' ? '0' : 'position'],
    where: `$chain AND standard = '${standard}'`,
  },
  other: { table, key: [...transferKey, position], where: '$chain AND log_index IS NOT NULL' },
  values: transfer,
  place: 'block_number',
})
const utxo = same('asset_id', 'amount', 'output_index')

/** Whatever the lake may have from two sources, declared once. Services leave out UTXOs of genesis and of others than they were asked for. */
export const sourcePairs: readonly SourcePair[] = [
  {
    own: { table: cBlocks, key: [network, 'block_number'] },
    other: { table: evmBlocks, key: [network, 'block_number'], where: '$chain' },
    values: same(
      'block_hash',
      'parent_hash',
      'miner',
      'gas_limit',
      'timestamp_seconds',
      'transactions_root',
      'transaction_count',
    ),
    place: 'block_number',
    bothCovered: true,
  },
  {
    own: { table: cTransactions, key: [network, 'block_number', 'transaction_index'] },
    other: { table: evmTransactions, key: [network, 'block_number', 'transaction_index'], where: '$chain' },
    values: same('transaction_hash', 'to_address', 'nonce', 'value_raw', 'gas_limit', 'input'),
    place: 'block_number',
    bothCovered: true,
  },
  {
    own: { table: cSenders, key: [network, 'block_number', 'transaction_index'] },
    other: { table: evmTransactions, key: [network, 'block_number', 'transaction_index'], where: '$chain' },
    values: same('transaction_hash', 'from_address'),
    bothCovered: true,
  },
  {
    own: { table: cBlocks, key: [network, 'block_number'] },
    other: { table: restEvmBlocks, key: [network, 'block_number'], where: '$chain' },
    values: same('block_hash', 'parent_hash', 'transaction_count', 'gas_limit'),
    place: 'block_number',
  },
  {
    own: { table: evmBlocks, key: [network, 'block_number'], where: '$chain' },
    other: { table: restEvmBlocks, key: [network, 'block_number'], where: '$chain' },
    values: same('block_hash', 'parent_hash', 'transaction_count', 'gas_limit'),
    place: 'block_number',
  },
  {
    // An aborted AdvanceTimeTx can come again: its id names several rows, of which the service shows one.
    own: { table: pTransactions, key: [network, 'tx_id'], where: "tx_type <> 'AdvanceTimeTx'" },
    other: { table: restPTransactions, key: [network, 'tx_id'], where: "tx_type <> 'AdvanceTimeTx'" },
    values: same('height', 'block_id', 'tx_type', 'source_chain_id', 'destination_chain_id'),
    place: 'height',
  },
  {
    own: { table: xTransactions, key: [network, 'blockchain_id', 'tx_id'] },
    other: { table: restXTransactions, key: [network, 'blockchain_id', 'tx_id'] },
    values: same('height', 'block_id', 'tx_type'),
    place: 'height',
  },
  {
    own: { table: cAtomicTransactions, key: [network, 'blockchain_id', 'tx_id'] },
    other: { table: restCAtomicTransactions, key: [network, 'blockchain_id', 'tx_id'] },
    values: same('tx_type'),
    place: 'block_number',
  },
  restTransfer(restErc20Transfers, 'erc20', '0'),
  restTransfer(restErc721Transfers, 'erc721', '0'),
  restTransfer(restErc1155Transfers, 'erc1155', 'coalesce(position, 0)'),
  {
    own: { table: pBlocks, key: [network, 'height'] },
    other: {
      table: restNodeBlocks,
      key: [network, 'height'],
      where: "blockchain_id = '11111111111111111111111111111111LpoYY'",
    },
    values: same('block_id', 'parent_id', 'tx_count'),
    place: 'height',
  },
  {
    own: { table: xBlocks, key: [network, 'blockchain_id', 'height'] },
    other: {
      table: restNodeBlocks,
      key: [network, 'blockchain_id', 'height'],
      where: "blockchain_id <> '11111111111111111111111111111111LpoYY'",
    },
    values: same('block_id', 'parent_id', 'tx_count'),
  },
  {
    own: { table: xVertices, key: [network, 'blockchain_id', 'vertex_id'] },
    other: { table: restXVertices, key: [network, 'blockchain_id', 'vertex_hash'] },
    values: same('height'),
  },
  {
    own: { table: pOutputs, key: [network, 'utxo_id'] },
    other: { table: restUtxos, key: [network, 'utxo_id'] },
    values: { ...utxo, tx_id: ['tx_id', 'tx_id'] },
  },
  {
    own: { table: xOutputs, key: [network, 'utxo_id'], where: "output_type = 'transfer'" },
    other: { table: restUtxos, key: [network, 'utxo_id'] },
    values: { ...utxo, tx_id: ['tx_id', 'tx_id'] },
  },
  {
    own: { table: pStateOutputs, key: [network, 'utxo_id'] },
    other: { table: restRewards, key: [network, 'utxo_id'] },
    values: utxo,
  },
]
