import { cAtomicTransactions } from '../../../schemas/c-atomic-transactions.ts'
import { cBlocks } from '../../../schemas/c-blocks.ts'
import { cSenders } from '../../../schemas/c-senders.ts'
import { cTransactions } from '../../../schemas/c-transactions.ts'
import { evmBlocks } from '../../../schemas/evm-blocks.ts'
import { evmTokenTransfers } from '../../../schemas/evm-token-transfers.ts'
import { evmTransactions } from '../../../schemas/evm-transactions.ts'
import { pBlocks } from '../../../schemas/p-blocks.ts'
import { pInputs } from '../../../schemas/p-inputs.ts'
import { pOutputs } from '../../../schemas/p-outputs.ts'
import { pStateOutputs } from '../../../schemas/p-state-outputs.ts'
import { pTransactions } from '../../../schemas/p-transactions.ts'
import { pValidations } from '../../../schemas/p-validations.ts'
import { restCAtomicTransactions } from '../../../schemas/rest-c-atomic-transactions.ts'
import { restErc20Transfers } from '../../../schemas/rest-erc20-transfers.ts'
import { restErc721Transfers } from '../../../schemas/rest-erc721-transfers.ts'
import { restErc1155Transfers } from '../../../schemas/rest-erc1155-transfers.ts'
import { restEvmBlocks } from '../../../schemas/rest-evm-blocks.ts'
import { restIcmMessages } from '../../../schemas/rest-icm-messages.ts'
import { restNativeTransactions } from '../../../schemas/rest-native-transactions.ts'
import { restNodeBlocks } from '../../../schemas/rest-node-blocks.ts'
import { restPTransactions } from '../../../schemas/rest-p-transactions.ts'
import { restRewards } from '../../../schemas/rest-rewards.ts'
import { restUtxos } from '../../../schemas/rest-utxos.ts'
import { restValidators } from '../../../schemas/rest-validators.ts'
import { restXTransactions } from '../../../schemas/rest-x-transactions.ts'
import { restXVertices } from '../../../schemas/rest-x-vertices.ts'
import { xBlocks } from '../../../schemas/x-blocks.ts'
import { xOutputs } from '../../../schemas/x-outputs.ts'
import { xStateOutputs } from '../../../schemas/x-state-outputs.ts'
import { xTransactions } from '../../../schemas/x-transactions.ts'
import { xVertices } from '../../../schemas/x-vertices.ts'
import type { Table } from '../../define/index.ts'
import {
  network,
  owners,
  ownTime,
  pairOf,
  type SourcePair,
  same,
  seconds,
  secondsOf,
  shared,
  sorted,
  stakes,
  utxo,
} from '../lake/pair-values.ts'
import { nodePairs } from './node-pairs.ts'

const transfer = {
  ...same('from_address', 'to_address'),
  ...seconds,
  token: ['token_address', 'lower(token_address)'] as const,
}

/** The service states no position of the transaction, which the key of a log has. Its hash takes that place. */
const transferKey = [network, 'block_number', 'log_index', 'transaction_hash']

const amountRaw = same('amount_raw')

const tokenId = same('token_id')

const restTransfer = (table: Table, standard: string, position: string, values: SourcePair['values']): SourcePair => ({
  own: {
    table: evmTokenTransfers,
    key: [...transferKey, position === '0' ? '0' : 'position'],
    where: `$chain AND standard = '${standard}'`,
  },
  other: { table, key: [...transferKey, position], where: '$chain AND log_index IS NOT NULL' },
  values: { ...transfer, ...values },
  place: 'block_number',
})

const restUtxo = { ...utxo, ...same('tx_id'), ...owners }

const nodeBlock = {
  ...same('block_id', 'parent_id', 'tx_count', 'proposer_node_id', 'container_id', 'wrapper_parent_id'),
  ...same('wrapper_p_height'),
  wrapper_time: pairOf(secondsOf('wrapper_time')),
}

/** What a service says of the validator or delegator that a transaction adds. */
const restStake = {
  ...same('node_id', 'subnet_id', 'bls_public_key'),
  end_time: pairOf(secondsOf('end_time')),
  delegation_fee_percent: ['delegation_shares', 'round(delegation_fee_percent * 10000)::BIGINT'] as const,
  bls_proof_of_possession: ["'0x' || lower(hex(proof_of_possession))", 'lower(bls_proof_of_possession)'] as const,
}

const restBlock = {
  ...same(
    'block_hash',
    'parent_hash',
    'transaction_count',
    'gas_limit',
    'gas_used',
    'base_fee_per_gas',
    'block_gas_cost',
    'min_delay_excess',
  ),
  ...seconds,
}

/** The first four bytes of the input of a call. */
const calledFunction =
  "CASE WHEN to_address IS NOT NULL AND octet_length(input) >= 4 THEN '0x' || lower(substr(hex(input), 1, 8)) END"

/** The service lists the transfers of a batch in a different order. */
const restErc1155Transfer: SourcePair = {
  own: {
    table: evmTokenTransfers,
    key: [...transferKey, 'token_id', 'amount_raw'],
    where: "$chain AND standard = 'erc1155'",
  },
  other: {
    table: restErc1155Transfers,
    key: [...transferKey, 'token_id', 'amount_raw'],
    where: '$chain AND log_index IS NOT NULL',
  },
  values: transfer,
  place: 'block_number',
}

/** A transaction with an ICM message. Hashes differ between chains, so the lake may have transactions of any chain. */
const icmTransaction = (side: 'source' | 'destination'): SourcePair => ({
  own: { table: evmTransactions, key: [network, 'transaction_hash'] },
  other: {
    table: restIcmMessages,
    key: [network, `${side}_transaction_hash`],
    where: `${side}_transaction_hash IS NOT NULL`,
  },
  values: { block_time: [secondsOf('block_time'), secondsOf(`${side}_time`)] },
})

/** All facts that the lake may have from two sources. Services omit UTXOs of genesis and of addresses that were not requested. */
export const sourcePairs: readonly SourcePair[] = [
  {
    own: { table: cBlocks, key: [network, 'block_number'] },
    other: { table: evmBlocks, key: [network, 'block_number'], where: '$chain' },
    values: { ...shared(cBlocks, evmBlocks), ext_data_length: ['ext_data_length', 'octet_length(block_extra_data)'] },
    place: 'block_number',
    bothCovered: true,
  },
  {
    own: { table: cTransactions, key: [network, 'block_number', 'transaction_index'] },
    other: { table: evmTransactions, key: [network, 'block_number', 'transaction_index'], where: '$chain' },
    values: shared(cTransactions, evmTransactions),
    place: 'block_number',
    bothCovered: true,
  },
  {
    own: { table: cSenders, key: [network, 'block_number', 'transaction_index'] },
    other: { table: evmTransactions, key: [network, 'block_number', 'transaction_index'], where: '$chain' },
    values: same('transaction_hash', 'from_address', 'block_time'),
    bothCovered: true,
  },
  {
    own: { table: cBlocks, key: [network, 'block_number'] },
    other: { table: restEvmBlocks, key: [network, 'block_number'], where: '$chain' },
    values: restBlock,
    place: 'block_number',
  },
  {
    own: { table: evmBlocks, key: [network, 'block_number'], where: '$chain' },
    other: { table: restEvmBlocks, key: [network, 'block_number'], where: '$chain' },
    values: restBlock,
    place: 'block_number',
  },
  {
    // An aborted AdvanceTimeTx can be repeated: several rows have its id, and the service shows one of them.
    own: { table: pTransactions, key: [network, 'tx_id'], where: "tx_type <> 'AdvanceTimeTx'" },
    other: { table: restPTransactions, key: [network, 'tx_id'], where: "tx_type <> 'AdvanceTimeTx'" },
    values: {
      ...same('height', 'block_id', 'tx_type', 'source_chain_id', 'destination_chain_id', 'staked_tx_id', 'vm_id'),
      ...same('blockchain_name', 'manager_chain_id', 'manager_address', 'memo'),
    },
    place: 'height',
  },
  {
    own: { table: pValidations, key: [network, 'tx_id'], where: stakes },
    other: { table: restPTransactions, key: [network, 'tx_id'] },
    values: restStake,
  },
  {
    own: { table: pBlocks, key: [network, 'height'] },
    other: { table: restPTransactions, key: [network, 'height'] },
    values: { block_time: [ownTime, secondsOf('block_time')] },
  },
  {
    own: { table: xTransactions, key: [network, 'blockchain_id', 'tx_id'] },
    other: { table: restXTransactions, key: [network, 'blockchain_id', 'tx_id'] },
    values: { ...same('height', 'block_id', 'tx_type', 'memo'), ...seconds },
    place: 'height',
  },
  {
    own: { table: cAtomicTransactions, key: [network, 'blockchain_id', 'tx_id'] },
    other: { table: restCAtomicTransactions, key: [network, 'blockchain_id', 'tx_id'] },
    values: { ...same('tx_type', 'block_number', 'source_chain_id', 'destination_chain_id'), ...seconds },
    place: 'block_number',
  },
  ...[cBlocks, evmBlocks].map(
    (table): SourcePair => ({
      own: { table, key: [network, 'block_number'], where: '$chain' },
      other: { table: restCAtomicTransactions, key: [network, 'block_number'] },
      values: { ...same('block_hash'), ...seconds },
    }),
  ),
  {
    own: { table: evmTransactions, key: [network, 'block_number', 'transaction_hash'], where: '$chain' },
    other: { table: restNativeTransactions, key: [network, 'block_number', 'transaction_hash'], where: '$chain' },
    values: {
      ...same('transaction_index', 'transaction_type', 'from_address', 'to_address', 'nonce', 'gas_limit', 'gas_used'),
      ...same('status'),
      ...seconds,
      amount_raw: ['value_raw', 'amount_raw'],
      method_hash: [calledFunction, 'method_hash'],
    },
    place: 'block_number',
  },
  icmTransaction('source'),
  icmTransaction('destination'),
  restTransfer(restErc20Transfers, 'erc20', '0', amountRaw),
  restTransfer(restErc721Transfers, 'erc721', '0', tokenId),
  restErc1155Transfer,
  {
    own: { table: pBlocks, key: [network, 'height'] },
    other: {
      table: restNodeBlocks,
      key: [network, 'height'],
      where: "blockchain_id = '11111111111111111111111111111111LpoYY'",
    },
    values: { ...nodeBlock, block_time: [ownTime, secondsOf('block_time')] },
    place: 'height',
  },
  {
    own: { table: xBlocks, key: [network, 'blockchain_id', 'height'] },
    other: {
      table: restNodeBlocks,
      key: [network, 'blockchain_id', 'height'],
      where: "blockchain_id <> '11111111111111111111111111111111LpoYY'",
    },
    values: { ...nodeBlock, ...seconds },
  },
  {
    own: { table: xVertices, key: [network, 'blockchain_id', 'vertex_id'] },
    other: { table: restXVertices, key: [network, 'blockchain_id', 'vertex_hash'] },
    values: {
      ...same('height', 'byte_length'),
      parents: [sorted('parent_ids'), sorted('parent_hashes')],
      transactions: [sorted('tx_ids'), sorted('tx_ids')],
      tx_count: ['len(tx_ids)', 'tx_count'],
    },
  },
  {
    own: { table: pOutputs, key: [network, 'utxo_id'] },
    other: { table: restUtxos, key: [network, 'utxo_id'] },
    values: restUtxo,
  },
  {
    own: { table: xOutputs, key: [network, 'utxo_id'], where: "output_type = 'transfer'" },
    other: { table: restUtxos, key: [network, 'utxo_id'] },
    values: restUtxo,
  },
  ...[pStateOutputs, xStateOutputs].map(
    (table): SourcePair => ({
      own: { table, key: [network, 'utxo_id'] },
      other: { table: restUtxos, key: [network, 'utxo_id'] },
      values: restUtxo,
    }),
  ),
  {
    own: { table: pInputs, key: [network, 'source_tx_id', 'source_output_index'], where: "kind <> 'import'" },
    other: { table: restUtxos, key: [network, 'tx_id', 'output_index'], where: 'consumed_on_chain_id = blockchain_id' },
    values: {
      consuming_tx_id: ['tx_id', 'consuming_tx_id'],
      consuming_height: ['height', 'consuming_height'],
    },
  },
  {
    own: { table: pStateOutputs, key: [network, 'utxo_id'] },
    other: { table: restRewards, key: [network, 'utxo_id'] },
    values: { ...utxo, tx_id: ['staked_tx_id', 'tx_id'], addresses: pairOf(sorted('addresses')) },
  },
  {
    own: { table: pValidations, key: [network, 'tx_id'], where: stakes },
    other: { table: restRewards, key: [network, 'tx_id'] },
    values: {
      node_id: pairOf('node_id'),
      weight: ['weight', 'staked_amount'],
      end_time: pairOf(secondsOf('end_time')),
    },
  },
  {
    own: { table: pValidations, key: [network, 'tx_id'], where: stakes },
    other: { table: restValidators, key: [network, 'tx_id'] },
    values: { ...restStake, weight: ['weight', 'staked_amount'] },
  },
  ...nodePairs,
]
