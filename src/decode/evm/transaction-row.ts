import type { EvmTransaction } from '../../../schemas/evm-transactions.ts'
import { decimalOrNull, textOrNull } from '../numbers.ts'
import {
  address,
  type Fields,
  optionalAddress,
  optionalBoolean,
  optionalBytes,
  optionalDecimal38,
  optionalFilledBytes,
  optionalHash,
  optionalHashes,
  optionalInt64,
  optionalNumberText,
  optionalObject,
  optionalObjects,
  optionalQuantityText,
  optionalU64,
  optionalU256,
  passOver,
  u64,
  unknownFields,
} from './fields.ts'
import type { EvmTransactionPlace } from './place.ts'

/**
 * Returns the row of a transaction and its receipt. `logCount` is the number of logs in the receipt, null without a receipt. `unknown` receives
 * the fields of nested objects that no column holds.
 */
export function transactionRow(
  transaction: Fields,
  receipt: Fields,
  place: EvmTransactionPlace,
  logCount: number | null,
  unknown: Set<string>,
): EvmTransaction {
  const value = optionalU256(transaction, 'value')
  const gasPrice = optionalU256(transaction, 'gasPrice')
  const maxFeePerGas = optionalU256(transaction, 'maxFeePerGas')
  const maxPriorityFeePerGas = optionalU256(transaction, 'maxPriorityFeePerGas')
  const maxFeePerBlobGas = optionalU256(transaction, 'maxFeePerBlobGas')
  const effectiveGasPrice = optionalU256(receipt, 'effectiveGasPrice')
  const blobGasPrice = optionalU256(receipt, 'blobGasPrice')
  const l1Fee = optionalU256(receipt, 'l1Fee')
  const l1GasPrice = optionalU256(receipt, 'l1GasPrice')
  const mint = optionalU256(transaction, 'mint')
  const to = optionalAddress(transaction, 'to')
  const depositNonce = optionalU64(receipt, 'depositNonce')
  const data = optionalBytes(transaction, 'data')
  const signature = signatureOf(transaction, unknown)
  // Chains such as Rootstock write the status in the place of the root, as receipts are hashed.
  const root = receipt.object['root']
  const isStatus = typeof root === 'string' && root.length <= textOfStatus
  // The row takes these values from the transaction, the block, or the receipt.
  passOver(receipt, 'from', 'to', 'type', 'blockTimestamp', 'root')
  passOver(transaction, 'creates', 'blockTimestamp')
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
    to_address: to,
    nonce: optionalU64(transaction, 'nonce') ?? depositNonce,
    value: decimalOrNull(value),
    value_raw: textOrNull(value),
    gas_limit: optionalU64(transaction, 'gas'),
    gas_price: decimalOrNull(gasPrice),
    gas_price_raw: textOrNull(gasPrice),
    max_fee_per_gas: decimalOrNull(maxFeePerGas),
    max_fee_per_gas_raw: textOrNull(maxFeePerGas),
    max_priority_fee_per_gas: decimalOrNull(maxPriorityFeePerGas),
    max_priority_fee_per_gas_raw: textOrNull(maxPriorityFeePerGas),
    max_fee_per_blob_gas: decimalOrNull(maxFeePerBlobGas),
    max_fee_per_blob_gas_raw: textOrNull(maxFeePerBlobGas),
    input: optionalBytes(transaction, 'input') ?? data,
    access_list: optionalObjects(transaction, 'accessList')?.map((at) => accessListEntry(at, unknown)) ?? null,
    blob_versioned_hashes: optionalHashes(transaction, 'blobVersionedHashes'),
    authorization_list:
      optionalObjects(transaction, 'authorizationList')?.map((at) => authorization(at, unknown)) ?? null,
    signed_chain_id: optionalDecimal38(transaction, 'chainId'),
    y_parity: signature.y_parity,
    v: signature.v,
    r: signature.r,
    s: signature.s,
    status: optionalInt64(receipt, 'status') ?? (isStatus ? optionalInt64(receipt, 'root') : null),
    receipt_root: isStatus ? null : optionalHash(receipt, 'root'),
    gas_used: optionalInt64(receipt, 'gasUsed'),
    cumulative_gas_used: optionalInt64(receipt, 'cumulativeGasUsed'),
    effective_gas_price: decimalOrNull(effectiveGasPrice),
    effective_gas_price_raw: textOrNull(effectiveGasPrice),
    blob_gas_used: optionalU64(receipt, 'blobGasUsed'),
    blob_gas_price: decimalOrNull(blobGasPrice),
    blob_gas_price_raw: textOrNull(blobGasPrice),
    contract_address: createdContract(optionalAddress(receipt, 'contractAddress'), to),
    logs_bloom: optionalFilledBytes(receipt, 'logsBloom'),
    log_count: logCount,
    l1_fee: decimalOrNull(l1Fee),
    l1_fee_raw: textOrNull(l1Fee),
    l1_gas_used: optionalU64(receipt, 'l1GasUsed'),
    l1_gas_price: decimalOrNull(l1GasPrice),
    l1_gas_price_raw: textOrNull(l1GasPrice),
    l1_fee_scalar: optionalNumberText(receipt, 'l1FeeScalar'),
    mint: decimalOrNull(mint),
    mint_raw: textOrNull(mint),
    source_hash: optionalHash(transaction, 'sourceHash'),
    is_system_tx: optionalBoolean(transaction, 'isSystemTx'),
    gas_used_for_l1: optionalU64(receipt, 'gasUsedForL1'),
    l1_block_number: optionalInt64(receipt, 'l1BlockNumber'),
  }
}

type Signature = Pick<EvmTransaction, 'y_parity' | 'v' | 'r' | 's'>

/** Transactions of Tempo have the signature in an object. Not each kind of signature has the same fields. */
function signatureOf(transaction: Fields, unknown: Set<string>): Signature {
  const own = {
    y_parity: optionalInt64(transaction, 'yParity'),
    v: optionalDecimal38(transaction, 'v'),
    r: optionalQuantityText(transaction, 'r'),
    s: optionalQuantityText(transaction, 's'),
  }
  passOver(transaction, 'signature')
  const { signature } = transaction.object
  if (signature === undefined || signature === null) return own
  if (typeof signature !== 'object') {
    unknown.add('transactions[].signature')
    return own
  }
  const signed = optionalObject(transaction, 'signature')!
  const row = {
    y_parity: own.y_parity ?? parityOf(signed),
    v: own.v ?? optionalDecimal38(signed, 'v'),
    r: own.r ?? optionalQuantityText(signed, 'r'),
    s: own.s ?? optionalQuantityText(signed, 's'),
  }
  for (const path of unknownFields(signed)) unknown.add(path)
  return row
}

/** The longest text of a status: 0x and two digits. */
const textOfStatus = 4

const zeroAddress = `0x${'0'.repeat(40)}`
/** The contract that creates all others on chains of the ZK stack: there a creation is a call of it. */
const zkDeployer = '0x0000000000000000000000000000000000008006'

/** The contract that a receipt says was created. Some chains write zeros there, or repeat the called contract. */
function createdContract(stated: string | null, to: string | null): string | null {
  return stated === zeroAddress || (to !== null && to !== zkDeployer) ? null : stated
}

type AccessListEntry = NonNullable<EvmTransaction['access_list']>[number]

function accessListEntry(at: Fields, unknown: Set<string>): AccessListEntry {
  const keys = optionalHashes(at, 'storageKeys')
  passOver(at, 'storage_keys')
  const row = { address: address(at, 'address'), storage_keys: keys ?? optionalHashes(at, 'storage_keys') ?? [] }
  for (const path of unknownFields(at)) unknown.add(path)
  return row
}

type Authorization = NonNullable<EvmTransaction['authorization_list']>[number]

/** Chains of Frontier, such as Moonbeam, write the signature as an object. */
function authorization(at: Fields, unknown: Set<string>): Authorization {
  passOver(at, 'chain_id', 'r', 's')
  const signed = optionalObject(at, 'signature')
  const chainId = optionalDecimal38(at, 'chainId')
  const row = {
    signed_chain_id: chainId ?? optionalDecimal38(at, 'chain_id'),
    address: address(at, 'address'),
    nonce: u64(at, 'nonce'),
    y_parity: parityOf(signed ?? at),
    r: optionalQuantityText(signed ?? at, 'r'),
    s: optionalQuantityText(signed ?? at, 's'),
  }
  for (const each of signed === null ? [at] : [at, signed]) for (const path of unknownFields(each)) unknown.add(path)
  return row
}

/** The parity of a signature, which nodes write under different names, as a number or as a Boolean; v may be 27 or 28. */
function parityOf(at: Fields): number | bigint | null {
  const [stated, other, odd, v] = ['yParity', 'y_parity', 'odd_y_parity', 'v'].map((name) => parityIn(at, name))
  return stated ?? other ?? odd ?? (v === 27 || v === 28 ? v - 27 : (v ?? null))
}

function parityIn(at: Fields, name: string): number | bigint | null {
  const value = at.object[name]
  return typeof value === 'boolean' ? Number(optionalBoolean(at, name)) : optionalInt64(at, name)
}
