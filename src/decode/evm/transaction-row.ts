import type { EvmTransaction } from '../../../schemas/evm-transactions.ts'
import { decimalOrNull, textOrNull } from '../numbers.ts'
import {
  address,
  bytes,
  type Fields,
  hashes,
  int64,
  optionalAddress,
  optionalBytes,
  optionalDecimal38,
  optionalHash,
  optionalHashes,
  optionalInt64,
  optionalObjects,
  optionalQuantityText,
  optionalU64,
  optionalU256,
  passOver,
  quantityText,
  u64,
  u256,
} from './fields.ts'
import type { EvmTransactionPlace } from './place.ts'

/** Returns the row of a transaction and its receipt. `logCount` is the number of logs in the receipt. */
export function transactionRow(
  transaction: Fields,
  receipt: Fields,
  place: EvmTransactionPlace,
  logCount: number,
): EvmTransaction {
  const value = u256(transaction, 'value')
  const gasPrice = optionalU256(transaction, 'gasPrice')
  const maxFeePerGas = optionalU256(transaction, 'maxFeePerGas')
  const maxPriorityFeePerGas = optionalU256(transaction, 'maxPriorityFeePerGas')
  const maxFeePerBlobGas = optionalU256(transaction, 'maxFeePerBlobGas')
  const effectiveGasPrice = optionalU256(receipt, 'effectiveGasPrice')
  const blobGasPrice = optionalU256(receipt, 'blobGasPrice')
  // The row takes these values from the transaction.
  passOver(receipt, 'from', 'to', 'type')
  // One object literal, because a spread of some columns makes a row several times slower.
  return {
    network: place.network,
    chain_id: place.chain_id,
    block_number: place.block_number,
    block_time: place.block_time,
    transaction_index: place.transaction_index,
    transaction_hash: place.transaction_hash,
    // Nodes from before Berlin state no type, because only one type existed.
    transaction_type: optionalInt64(transaction, 'type') ?? 0,
    from_address: address(transaction, 'from'),
    to_address: optionalAddress(transaction, 'to'),
    nonce: u64(transaction, 'nonce'),
    value: decimalOrNull(value),
    value_raw: value.toString(),
    gas_limit: u64(transaction, 'gas'),
    gas_price: decimalOrNull(gasPrice),
    gas_price_raw: textOrNull(gasPrice),
    max_fee_per_gas: decimalOrNull(maxFeePerGas),
    max_fee_per_gas_raw: textOrNull(maxFeePerGas),
    max_priority_fee_per_gas: decimalOrNull(maxPriorityFeePerGas),
    max_priority_fee_per_gas_raw: textOrNull(maxPriorityFeePerGas),
    max_fee_per_blob_gas: decimalOrNull(maxFeePerBlobGas),
    max_fee_per_blob_gas_raw: textOrNull(maxFeePerBlobGas),
    input: bytes(transaction, 'input'),
    access_list: optionalObjects(transaction, 'accessList')?.map(accessListEntry) ?? null,
    blob_versioned_hashes: optionalHashes(transaction, 'blobVersionedHashes'),
    authorization_list: optionalObjects(transaction, 'authorizationList')?.map(authorization) ?? null,
    signed_chain_id: optionalDecimal38(transaction, 'chainId'),
    y_parity: optionalInt64(transaction, 'yParity'),
    v: optionalDecimal38(transaction, 'v'),
    r: optionalQuantityText(transaction, 'r'),
    s: optionalQuantityText(transaction, 's'),
    status: optionalInt64(receipt, 'status'),
    receipt_root: optionalHash(receipt, 'root'),
    gas_used: int64(receipt, 'gasUsed'),
    cumulative_gas_used: int64(receipt, 'cumulativeGasUsed'),
    effective_gas_price: decimalOrNull(effectiveGasPrice),
    effective_gas_price_raw: textOrNull(effectiveGasPrice),
    blob_gas_used: optionalU64(receipt, 'blobGasUsed'),
    blob_gas_price: decimalOrNull(blobGasPrice),
    blob_gas_price_raw: textOrNull(blobGasPrice),
    contract_address: optionalAddress(receipt, 'contractAddress'),
    logs_bloom: optionalBytes(receipt, 'logsBloom'),
    log_count: logCount,
  }
}

type AccessListEntry = NonNullable<EvmTransaction['access_list']>[number]

function accessListEntry(at: Fields): AccessListEntry {
  return { address: address(at, 'address'), storage_keys: hashes(at, 'storageKeys') }
}

type Authorization = NonNullable<EvmTransaction['authorization_list']>[number]

function authorization(at: Fields): Authorization {
  return {
    signed_chain_id: optionalDecimal38(at, 'chainId'),
    address: address(at, 'address'),
    nonce: u64(at, 'nonce'),
    y_parity: int64(at, 'yParity'),
    r: quantityText(at, 'r'),
    s: quantityText(at, 's'),
  }
}
