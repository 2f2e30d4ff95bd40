import { type CHeader, cHeader } from '../../../codec/c/header.ts'
import type { CBlock } from '../../../schemas/c-blocks.ts'
import type { Container } from '../../model.ts'
import { boundedNumber, decimalOrNull, textOrNull } from '../numbers.ts'
import { hexText, repeatedAddressText, repeatedHashText } from '../texts.ts'
import { wrapperColumns } from '../wrapper-columns.ts'
import type { OpenCBlock } from './open-block.ts'

export function blockRow(container: Container, opened: OpenCBlock, atomicTransactionCount: number): CBlock {
  const { block, hash, place } = opened
  const { header } = block
  const { parentBeaconBlockRoot, settledHeight } = header
  const columns = wrapperColumns(container, opened.container)
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
    difficulty_raw: textOrNull(header.difficulty),
    gas_limit: header.gasLimit,
    gas_used: boundedNumber(header.gasUsed, 'block.header.gasUsed'),
    timestamp_seconds: header.timestamp,
    extra_data: header.extraData,
    mix_hash: repeatedHashText(header.mixHash),
    nonce: new DataView(header.nonce.buffer, header.nonce.byteOffset).getBigUint64(0),
    ext_data_hash: repeatedHashText(header.extDataHash),
    // Since Apricot phase 3, forks have appended the following fields to the header. Each is null in older blocks.
    base_fee_per_gas: decimalOrNull(header.baseFeePerGas),
    base_fee_per_gas_raw: textOrNull(header.baseFeePerGas),
    ext_data_gas_used: decimalOrNull(header.extDataGasUsed),
    ext_data_gas_used_raw: textOrNull(header.extDataGasUsed),
    block_gas_cost: decimalOrNull(header.blockGasCost),
    block_gas_cost_raw: textOrNull(header.blockGasCost),
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
    header_field_count: fieldCount(header),
    ext_data_length: block.extData.length,
    transaction_count: block.transactions.length,
    atomic_transaction_count: atomicTransactionCount,
    container_id: columns.container_id,
    container_index: columns.container_index,
    accepted_at: columns.accepted_at,
    accepted_at_ns: columns.accepted_at_ns,
    wrapper: columns.wrapper,
    wrapper_parent_id: columns.wrapper_parent_id,
    wrapper_time: columns.wrapper_time,
    wrapper_p_height: columns.wrapper_p_height,
    proposer_node_id: columns.proposer_node_id,
    epoch_number: columns.epoch_number,
    epoch_start: columns.epoch_start,
    epoch_p_height: columns.epoch_p_height,
    byte_length: columns.byte_length,
  }
}

const requiredFields = Object.keys(cHeader.fields).length
const addedFields = Object.keys(cHeader.optional) as (keyof CHeader)[]

/** Returns the number of fields in the header. Forks only append fields, so no field follows the first one that is null. */
function fieldCount(header: CHeader): number {
  const firstMissing = addedFields.findIndex((field) => header[field] === null)
  return requiredFields + (firstMissing === -1 ? addedFields.length : firstMissing)
}
