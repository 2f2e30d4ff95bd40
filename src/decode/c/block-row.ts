import type { CBlock } from '../../../schemas/c-blocks.ts'
import type { CHeader } from '../../codec/c/header.ts'
import type { Container } from '../../model.ts'
import { boundedNumber, decimalOrNull } from '../numbers.ts'
import { hexText, repeatedAddressText, repeatedHashText } from '../texts.ts'
import { wrapperColumns } from '../wrapper-columns.ts'
import type { OpenCBlock } from './open-block.ts'

/** Fields that forks have added to the header since Apricot phase 3: each is null in older blocks. */
function addedFields(header: CHeader) {
  const wide = (value: bigint | null): bigint | null => (value === null ? null : decimalOrNull(value))
  const { parentBeaconBlockRoot, settledHeight } = header
  return {
    base_fee_per_gas: wide(header.baseFeePerGas),
    ext_data_gas_used: wide(header.extDataGasUsed),
    block_gas_cost: wide(header.blockGasCost),
    blob_gas_used: header.blobGasUsed,
    excess_blob_gas: header.excessBlobGas,
    parent_beacon_block_root: parentBeaconBlockRoot === null ? null : repeatedHashText(parentBeaconBlockRoot),
    timestamp_milliseconds: header.timestampMilliseconds,
    min_delay_excess: header.minDelayExcess,
    target_exponent: header.targetExponent,
    min_price_exponent: header.minPriceExponent,
    settled_height: settledHeight === null ? null : boundedNumber(settledHeight, 'block.header.settledHeight'),
    settled_gas_unix: header.settledGasUnix,
    settled_gas_numerator: header.settledGasNumerator,
    settled_excess: header.settledExcess,
  }
}

export function blockRow(container: Container, opened: OpenCBlock, atomicTransactionCount: number): CBlock {
  const { block, hash, place } = opened
  const { header } = block
  return {
    network: place.network,
    blockchain_id: place.blockchain_id,
    block_number: place.block_number,
    block_time: place.block_time,
    block_hash: repeatedHashText(hash),
    parent_hash: repeatedHashText(header.parentHash),
    sha3_uncles: repeatedHashText(header.sha3Uncles),
    miner: repeatedAddressText(header.miner),
    state_root: hexText(header.stateRoot),
    transactions_root: hexText(header.transactionsRoot),
    receipts_root: hexText(header.receiptsRoot),
    logs_bloom: header.logsBloom,
    difficulty: decimalOrNull(header.difficulty),
    gas_limit: header.gasLimit,
    gas_used: boundedNumber(header.gasUsed, 'block.header.gasUsed'),
    timestamp_seconds: header.timestamp,
    extra_data: header.extraData,
    mix_hash: repeatedHashText(header.mixHash),
    nonce: new DataView(header.nonce.buffer, header.nonce.byteOffset).getBigUint64(0),
    ext_data_hash: repeatedHashText(header.extDataHash),
    ...addedFields(header),
    header_field_count: fieldCount(header),
    ext_data_length: block.extData.length,
    transaction_count: block.transactions.length,
    atomic_transaction_count: atomicTransactionCount,
    ...wrapperColumns(container, opened.container),
  }
}

function fieldCount(header: CHeader): number {
  let count = 0
  for (const field in header) if (header[field as keyof CHeader] !== null) count++
  return count
}
