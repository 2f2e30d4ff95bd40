import { timeOfTimestamp } from '../../../codec/evm/block-time.ts'
import type { EvmBlockRow } from '../../../schemas/evm-blocks.ts'
import { decimalOrNull, textOrNull } from '../numbers.ts'
import { timeOfMilliseconds } from '../times.ts'
import {
  address,
  contradiction,
  count,
  type Fields,
  hash,
  int64,
  optionalAddress,
  optionalBytes,
  optionalFilledBytes,
  optionalHash,
  optionalHashes,
  optionalInt64,
  optionalObjects,
  optionalU64,
  optionalU256,
  passOver,
  u64,
  unknownFields,
} from './fields.ts'
import type { EvmPlace } from './place.ts'

/** Returns the network, chain, number and time of a block. */
export function blockPlace(block: Fields, chain: { network: string; chainId: string }): EvmPlace {
  const seconds = u64(block, 'timestamp')
  const milliseconds = optionalU64(block, 'timestampMilliseconds')
  if (milliseconds !== null && milliseconds / 1000n !== seconds)
    throw contradiction(
      block,
      'timestampMilliseconds',
      `is not of the second ${seconds} that timestamp states`,
      milliseconds,
    )
  return {
    network: chain.network,
    chain_id: chain.chainId,
    block_number: count(block, 'number'),
    block_time: milliseconds === null ? timeOfTimestamp(seconds) : timeOfMilliseconds(milliseconds),
  }
}

/** How many transactions and logs a block has. */
type Counts = { readonly transactions: number; readonly logs: number }

/** Returns the row of a block. `unknown` receives the fields of withdrawals that no column holds. */
export function blockRow(block: Fields, place: EvmPlace, counts: Counts, unknown: Set<string>): EvmBlockRow {
  const difficulty = optionalU256(block, 'difficulty')
  // Its value depends on the version of the node, for old blocks too: since Helicon it is 0, and go-ethereum leaves it out.
  passOver(block, 'totalDifficulty')
  const baseFeePerGas = optionalU256(block, 'baseFeePerGas')
  const extDataGasUsed = optionalU256(block, 'extDataGasUsed')
  const blockGasCost = optionalU256(block, 'blockGasCost')
  return {
    network: place.network,
    chain_id: place.chain_id,
    block_number: place.block_number,
    block_time: place.block_time,
    block_hash: hash(block, 'hash'),
    parent_hash: hash(block, 'parentHash'),
    sha3_uncles: optionalHash(block, 'sha3Uncles'),
    miner: minerOf(block),
    state_root: optionalHash(block, 'stateRoot'),
    transactions_root: optionalHash(block, 'transactionsRoot'),
    receipts_root: optionalHash(block, 'receiptsRoot'),
    logs_bloom: optionalFilledBytes(block, 'logsBloom'),
    difficulty: decimalOrNull(difficulty),
    difficulty_raw: textOrNull(difficulty),
    size: optionalU64(block, 'size'),
    gas_limit: optionalU64(block, 'gasLimit'),
    gas_used: int64(block, 'gasUsed'),
    timestamp_seconds: u64(block, 'timestamp'),
    extra_data: optionalBytes(block, 'extraData'),
    mix_hash: optionalHash(block, 'mixHash'),
    nonce: optionalU64(block, 'nonce'),
    uncles: optionalHashes(block, 'uncles'),
    base_fee_per_gas: decimalOrNull(baseFeePerGas),
    base_fee_per_gas_raw: textOrNull(baseFeePerGas),
    withdrawals_root: optionalHash(block, 'withdrawalsRoot'),
    withdrawals: optionalObjects(block, 'withdrawals')?.map((at) => withdrawal(at, unknown)) ?? null,
    blob_gas_used: optionalU64(block, 'blobGasUsed'),
    excess_blob_gas: optionalU64(block, 'excessBlobGas'),
    parent_beacon_block_root: optionalHash(block, 'parentBeaconBlockRoot'),
    requests_hash: optionalHash(block, 'requestsHash'),
    ext_data_hash: optionalHash(block, 'extDataHash'),
    block_extra_data: optionalBytes(block, 'blockExtraData'),
    ext_data_gas_used: decimalOrNull(extDataGasUsed),
    ext_data_gas_used_raw: textOrNull(extDataGasUsed),
    block_gas_cost: decimalOrNull(blockGasCost),
    block_gas_cost_raw: textOrNull(blockGasCost),
    timestamp_milliseconds: optionalU64(block, 'timestampMilliseconds'),
    min_delay_excess: optionalU64(block, 'minDelayExcess'),
    target_exponent: optionalU64(block, 'targetExponent'),
    min_price_exponent: optionalU64(block, 'minPriceExponent'),
    settled_height: optionalInt64(block, 'settledHeight'),
    settled_gas_unix: optionalU64(block, 'settledGasUnix'),
    settled_gas_numerator: optionalU64(block, 'settledGasNumerator'),
    settled_excess: optionalU64(block, 'settledExcess'),
    transaction_count: counts.transactions,
    log_count: counts.logs,
    l1_block_number: optionalInt64(block, 'l1BlockNumber'),
    block_access_list_hash: optionalHash(block, 'blockAccessListHash'),
    slot_number: optionalU64(block, 'slotNumber'),
  }
}

type Withdrawal = NonNullable<EvmBlockRow['withdrawals']>[number]

/** Clients that descend from Parity also write, or only write, the author. */
function minerOf(block: Fields): string | null {
  const author = optionalAddress(block, 'author')
  return optionalAddress(block, 'miner') ?? author
}

function withdrawal(at: Fields, unknown: Set<string>): Withdrawal {
  const row = {
    withdrawal_index: u64(at, 'index'),
    validator_index: u64(at, 'validatorIndex'),
    address: address(at, 'address'),
    amount: u64(at, 'amount'),
  }
  for (const path of unknownFields(at)) unknown.add(path)
  return row
}
