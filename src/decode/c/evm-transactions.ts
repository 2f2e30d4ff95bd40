import { type EvmTx, signedChainId } from '../../../codec/c/evm-transactions.ts'
import type { CTransaction } from '../../../schemas/c-transactions.ts'
import { decimalOrNull, textOrNull } from '../numbers.ts'
import { hexText, repeatedAddressText, repeatedHashText } from '../texts.ts'
import type { OpenCBlock } from './open-block.ts'

const typeNumbers = { LegacyTx: 0, AccessListTx: 1, DynamicFeeTx: 2 } as const

/** Returns a row for each EVM transaction of a block. */
export function transactionRows({ block, transactionHashes, place }: OpenCBlock): CTransaction[] {
  return block.transactions.map((tx, i) => transactionRow(tx, transactionHashes[i]!, place, i))
}

function transactionRow(tx: EvmTx, hash: Uint8Array, place: OpenCBlock['place'], position: number): CTransaction {
  const isDynamic = tx.type === 'DynamicFeeTx'
  const gasPrice = isDynamic ? null : tx.gasPrice
  const maxFee = isDynamic ? tx.maxFeePerGas : null
  const maxPriorityFee = isDynamic ? tx.maxPriorityFeePerGas : null
  return {
    network: place.network,
    blockchain_id: place.blockchain_id,
    block_number: place.block_number,
    block_time: place.block_time,
    transaction_index: position,
    transaction_hash: hexText(hash),
    transaction_type: typeNumbers[tx.type],
    nonce: tx.nonce,
    to_address: tx.to === null ? null : repeatedAddressText(tx.to),
    value: decimalOrNull(tx.value),
    value_raw: tx.value.toString(),
    gas_limit: tx.gas,
    gas_price: decimalOrNull(gasPrice),
    gas_price_raw: textOrNull(gasPrice),
    max_fee_per_gas: decimalOrNull(maxFee),
    max_fee_per_gas_raw: textOrNull(maxFee),
    max_priority_fee_per_gas: decimalOrNull(maxPriorityFee),
    max_priority_fee_per_gas_raw: textOrNull(maxPriorityFee),
    input: tx.input,
    access_list: tx.type === 'LegacyTx' ? null : accessList(tx.accessList),
    signed_chain_id: signedChainId(tx),
    v: tx.v,
    r: quantityText(tx.r),
    s: quantityText(tx.s),
  }
}

type AccessList = Exclude<EvmTx, { type: 'LegacyTx' }>['accessList']

function accessList(list: AccessList): { address: string; storage_keys: string[] }[] {
  return list.map(({ address, storageKeys }) => ({
    address: repeatedAddressText(address),
    storage_keys: storageKeys.map(repeatedHashText),
  }))
}

/** Returns an integer as the RPC writes it: hex without leading zeros. */
function quantityText(value: bigint): string {
  return `0x${value.toString(16)}`
}
