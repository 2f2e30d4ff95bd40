import { cTransactions } from '../../../schemas/c-transactions.ts'
import { containers } from '../../../schemas/containers.ts'
import { tables } from '../../../schemas/index.ts'
import { restEvmChains } from '../../../schemas/rest-evm-chains.ts'
import type { Table } from '../../define/index.ts'
import type { Slice } from '../../model.ts'
import { subtract } from '../../plan/intervals.ts'
import type { Unverifiable } from '../lake/finding.ts'
import { type LakeRows, tablesWithFiles } from '../lake/lake-rows.ts'
import { headerColumns, transactionColumns } from './evm-hashes.ts'

/** Columns of a table that nothing else in a lake holds, and columns that something else holds for some rows only. */
type Unproven = {
  readonly never?: readonly string[]
  readonly partly?: readonly string[]
}

const owner = (prefix: string) => ['threshold', 'locktime', 'addresses'].map((name) => `${prefix}_${name}`)
const asset = ['asset_name', 'asset_symbol', 'asset_denomination', 'asset_type']
const heldToken = ['token_address', 'standard', 'token_name', 'token_symbol', 'token_id', 'token_uri', 'metadata']
const sums = ['amounts', 'amount_unlocked', 'amount_created', 'amount_burned', 'amount_staked']
const utxoLists = ['consumed_utxos', 'emitted_utxos']
const party = (prefix: string) => ['name', 'symbol', 'decimals', 'logo_uri'].map((name) => `${prefix}_${name}`)
const parties = [...party('from'), ...party('to')]
const transfer = [
  ...['block_number', 'log_index', 'transaction_hash', 'block_time', 'block_hash', 'from_address', 'to_address'],
  ...['amount', 'amount_raw', 'token_address'],
]
const owners = ['addresses', 'threshold', 'locktime']
/** These columns cannot be compared when the row of the subject in `observations` is missing. */
const observed = ['subject', 'observation_id', 'observed_at']
/** Hashes prove these columns for the C-Chain, but not for other chains. */
const headers = headerColumns
const signed = transactionColumns
const evmChain = Object.keys(restEvmChains.columns).filter(
  (name) => !['network', 'subject', 'observation_id', 'observed_at'].includes(name),
)
/** A number and its exact text contradict each other when one of them is altered, and not when both are. */
const exactly = (name: string) => [name, `${name}_raw`]
const price = ['price_currency', 'price']

/** The columns of each table that a lake holds only once. A test of all columns checks this list. */
const unproven: Readonly<Record<string, Unproven>> = {
  p_state_outputs: {
    never: ['origin'],
    partly: ['asset_id', 'amount', 'staked_tx_id', ...owners, 'stakeable_locktime'],
  },
  x_state_outputs: {
    never: ['origin'],
    partly: ['blockchain_id', 'output_type', 'asset_id', 'amount', ...owners, 'group_id', 'payload'],
  },
  c_senders: { partly: ['from_address'] },
  evm_blocks: {
    never: ['size'],
    partly: [...exactly('total_difficulty'), 'miner', 'uncles', 'withdrawals', ...headers],
  },
  evm_transactions: {
    never: ['status', 'receipt_root'],
    partly: [
      ...exactly('effective_gas_price'),
      'gas_price',
      'from_address',
      'gas_used',
      'cumulative_gas_used',
      'contract_address',
      ...signed,
    ],
  },
  evm_logs: { partly: ['log_index', 'transaction_index', 'address', 'topic0', 'topic1', 'topic2', 'topic3', 'data'] },
  node_validators: {
    never: [
      ...['start_time', 'potential_reward', 'accrued_delegatee_reward', 'uptime', 'connected', 'delegator_count'],
      ...['delegator_weight', 'next_period', 'auto_compound_reward_shares', 'bls_proof_of_possession'],
      ...owner('validation_reward_owner'),
      ...owner('delegation_reward_owner'),
      ...owner('validator_authority'),
    ],
    partly: ['tx_id', 'node_id', 'end_time', 'weight', 'delegation_shares', 'bls_public_key', ...observed],
  },
  node_delegators: {
    never: ['start_time', 'potential_reward', ...owner('reward_owner')],
    partly: ['tx_id', 'node_id', 'end_time', 'weight', ...observed],
  },
  node_l1_validators: {
    never: [
      ...['start_time', 'weight', 'min_nonce', 'balance'],
      ...owner('remaining_balance_owner'),
      ...owner('deactivation_owner'),
    ],
    partly: ['validation_id', 'node_id', 'bls_public_key', ...observed],
  },
  node_blockchains: {
    never: ['blockchain_status'],
    partly: ['blockchain_id', 'blockchain_name', 'subnet_id', 'vm_id', ...observed],
  },
  node_supply: { never: ['supply', 'height', 'error'], partly: observed },
  node_fees: { never: ['tx_fee', 'create_asset_tx_fee'], partly: observed },
  node_vm_config: { partly: ['config', ...observed] },
  node_health_reports: {
    never: ['status', 'healthy'],
    // No other table repeats these for a report without checks.
    partly: ['endpoint', 'transport', 'tags', ...observed],
  },
  node_health: {
    never: ['check_name', 'message', 'error', 'duration_ns', 'contiguous_failures'],
    partly: ['checked_at', 'checked_at_ns', 'first_failure_at', 'first_failure_at_ns', ...observed],
  },
  node_evm_state: {
    never: ['net_version', 'client_version', 'chain_config'],
    partly: [...exactly('base_fee'), ...exactly('max_priority_fee_per_gas'), ...observed],
  },
  node_assets: { partly: ['asset_id', 'blockchain_id', 'name', 'symbol', 'denomination'] },
  node_transactions: { partly: ['tx_status', 'height', 'tx_type', 'tx_json'] },
  node_blocks: { partly: ['height', 'blockchain_id', 'block_time', 'block_json'] },
  node_evm_proofs: {
    partly: [
      ...['block_number', 'block_hash', 'block_time', 'balance', 'balance_raw', 'nonce', 'code_hash', 'storage_hash'],
      ...['address', 'account_proof', 'storage_proofs'],
    ],
  },
  node_utxos: {
    partly: [
      'blockchain_id',
      'output_type',
      'asset_id',
      'amount',
      ...owners,
      'stakeable_locktime',
      'group_id',
      'payload',
      ...observed,
    ],
  },
  node_reward_utxos: { never: ['observed_at'], partly: ['tx_id', 'staked_tx_id', 'utxo_ids'] },
  node_balances: {
    never: [...['asset_id', 'asset', 'balance', 'unlocked', 'locked_stakeable', 'locked_not_stakeable', 'utxo_ids']],
    partly: observed,
  },
  observations: { never: ['completed_at'], partly: ['subject', 'observation_id'] },
  rest_p_transactions: {
    never: [
      ...['block_time', 'start_time', 'end_time', 'delegation_fee_percent', 'node_id', 'subnet_id', 'estimated_reward'],
      ...['reward_tx_id', 'reward_addresses', 'genesis_json', 'evm_chain_id', 'evm_fee_config', 'l1_validator_details'],
      ...['bls_public_key', 'bls_proof_of_possession', 'amount_l1_validator_balance_burned', 'chain_name'],
      ...owner('owner'),
      ...sums,
      ...utxoLists,
    ],
    partly: [
      ...['height', 'block_id', 'tx_id', 'tx_type', 'memo', 'source_chain_id', 'destination_chain_id'],
      ...['staked_tx_id', 'vm_id', 'blockchain_name', 'manager_chain_id', 'manager_address'],
    ],
  },
  rest_x_transactions: {
    never: [
      'chain_format',
      'source_chain_id',
      'destination_chain_id',
      'asset_created',
      'vertices',
      'chain_name',
      ...sums,
      ...utxoLists,
    ],
    partly: ['block_time', 'tx_id', 'height', 'block_id', 'tx_type', 'memo'],
  },
  rest_c_atomic_transactions: {
    never: [
      ...['block_hash', 'memo', 'source_chain_id', 'destination_chain_id', 'evm_inputs', 'evm_outputs', 'chain_name'],
      ...sums,
      ...utxoLists,
    ],
    partly: ['block_number', 'block_time', 'tx_id', 'tx_type'],
  },
  rest_utxos: { never: ['present', 'chain_name'], partly: ['observation_id', 'observed_at'] },
  rest_rewards: {
    never: ['reward_type', 'start_time', 'reward_tx_id', ...asset, ...price],
    partly: [
      'utxo_id',
      'tx_id',
      'output_index',
      'node_id',
      'end_time',
      'staked_amount',
      'asset_id',
      'amount',
      'addresses',
    ],
  },
  rest_x_vertices: {
    never: ['vertex_index', 'block_time', 'chain_name'],
    partly: ['vertex_hash', 'height', 'parent_hashes', 'tx_count', 'tx_ids', 'byte_length'],
  },
  rest_node_blocks: {
    never: [
      ...['block_type', 'tx_ids', 'byte_length', 'l1_validators_accrued_fees', 'active_l1_validator_count'],
      ...['current_supply', 'container_id', 'wrapper_parent_id', 'wrapper_p_height', 'wrapper_time'],
      'chain_name',
    ],
    partly: ['height', 'block_time', 'block_id', 'parent_id', 'tx_count', 'proposer_node_id'],
  },
  rest_evm_chains: { never: evmChain, partly: observed },
  rest_evm_blocks: {
    never: ['cumulative_transaction_count'],
    partly: [
      ...exactly('fees_spent'),
      ...['block_number', 'block_time', 'block_hash', 'parent_hash', 'transaction_count', 'gas_used', 'gas_limit'],
      ...['base_fee_per_gas', 'block_gas_cost', 'min_delay_excess'],
    ],
  },
  rest_erc20_transfers: {
    never: ['standard', 'token_name', 'token_symbol', 'token_decimals', 'token_logo_uri', ...parties, ...price],
    partly: ['position', ...transfer],
  },
  rest_erc721_transfers: {
    never: ['standard', 'token_name', 'token_symbol', 'token_uri', 'metadata', 'token_owner_address', ...parties],
    partly: ['position', 'token_id', ...transfer],
  },
  rest_erc1155_transfers: {
    never: ['standard', 'token_uri', 'metadata', ...parties],
    partly: ['position', 'token_id', ...transfer],
  },
  rest_native_balances: {
    never: [
      ...['token_name', 'token_symbol', 'token_decimals', 'token_logo_uri', 'balance_value_currency', 'balance_value'],
      ...price,
    ],
    partly: ['balance', 'balance_raw', ...observed],
  },
  rest_erc721_balances: { never: heldToken, partly: observed },
  rest_erc1155_balances: { never: heldToken, partly: ['balance', 'balance_raw', ...observed] },
  rest_collectible_balances: { never: heldToken, partly: ['balance', 'balance_raw', ...observed] },
  rest_signed_messages: { never: ['signed_message', 'observed_at'] },
  metrics_token_holders: {
    never: ['address', 'window_start', 'window_end'],
    partly: ['balance', 'balance_raw', ...observed],
  },
  metrics_chain_tps: { never: ['observation_id', 'observed_at', 'status', 'last_run'] },
}

const now = 'nothing else in the lake holds these values: a node or service reported them at the time.'
const lost =
  'a repair removed rows that no source can provide again: rows of other tables that belong to them are not compared.'
const withoutRaw =
  'the lake has no raw containers for it (run with --raw to store them); verify --node compares a sample with a node.'

/** Columns that counts, hashes and neighbouring blocks prove even without raw containers. */
const linked = new Set([
  ...['network', 'blockchain_id', 'height', 'block_number', 'block_id', 'parent_id', 'block_time', 'tx_id', 'utxo_id'],
  ...['tx_count', 'transaction_count', 'atomic_transaction_count', 'input_count', 'output_count', 'operation_count'],
  ...headerColumns,
])
const linkedTransaction = new Set(transactionColumns)

/** The parts of a lake that cannot be verified, with the reasons. */
export function unverifiableOf(rows: LakeRows): Unverifiable[] {
  const there = tablesWithFiles(rows).filter(rows.looksAt)
  return [...there.flatMap((table) => [...unsaidOf(table), ...undecodedOf(rows, table)]), ...lostOf(rows)]
}

/** Tables that lost rows for good by a repair, while rows that belong to them remain. */
function lostOf({ inventory: { withLosses }, looksAt }: LakeRows): Unverifiable[] {
  return tables
    .filter((table) => withLosses.has(table.name) && looksAt(table))
    .map(({ name }) => ({ table: name, reason: lost }))
}

function unsaidOf(table: Table): Unverifiable[] {
  const { never = [], partly = [] } = unproven[table.name] ?? {}
  if (never.length + partly.length === 0) return []
  const isOf = (name: string) => name in table.columns
  return [
    {
      table: table.name,
      reason: now,
      ...(never.length === 0 ? {} : { columns: never.filter(isOf) }),
      ...(partly.length === 0 ? {} : { partly: [...new Set(partly)].filter(isOf) }),
    },
  ]
}

/** Streams of containers with raw containers missing. */
function undecodedOf({ inventory: { coverage } }: LakeRows, table: Table): Unverifiable[] {
  if (table === containers || !/^[pxc]_/.test(table.name)) return []
  const slices = (stream: string, name: string): Slice[] =>
    coverage.flatMap((row) => (row.stream === stream && row.table === name ? [row.slice] : []))
  const streams = [...new Set(coverage.flatMap((row) => (row.table === table.name ? [row.stream] : [])))]
  const isProven = (name: string) => linked.has(name) || (table === cTransactions && linkedTransaction.has(name))
  return streams
    .filter((stream) => subtract(slices(stream, table.name), slices(stream, containers.name)).length > 0)
    .map((stream) => ({
      table: table.name,
      stream,
      partly: Object.keys(table.columns).filter((name) => !isProven(name)),
      reason: withoutRaw,
    }))
}
