import type { CTransaction } from '../../../schemas/c-transactions.ts'
import { type EvmTx, signedChainId } from '../../codec/c/evm-transactions.ts'
import { decimalOrNull } from '../numbers.ts'
import { hexText, repeatedAddressText, repeatedHashText } from '../texts.ts'
import type { OpenCBlock } from './open-block.ts'

const typeNumbers = { LegacyTx: 0, AccessListTx: 1, DynamicFeeTx: 2 } as const

/** A row for each EVM transaction of a block. */
export function transactionRows({ block, transactionHashes, place }: OpenCBlock): CTransaction[] {
  return block.transactions.map((tx, i) => ({
    network: place.network,
    blockchain_id: place.blockchain_id,
    block_number: place.block_number,
    block_time: place.block_time,
    transaction_index: i,
    transaction_hash: hexText(transactionHashes[i]!),
    transaction_type: typeNumbers[tx.type],
    nonce: tx.nonce,
    to_address: tx.to === null ? null : repeatedAddressText(tx.to),
    value: decimalOrNull(tx.value),
    value_raw: tx.value.toString(),
    gas_limit: tx.gas,
    gas_price: tx.type === 'DynamicFeeTx' ? null : decimalOrNull(tx.gasPrice),
    max_fee_per_gas: tx.type === 'DynamicFeeTx' ? decimalOrNull(tx.maxFeePerGas) : null,
    max_priority_fee_per_gas: tx.type === 'DynamicFeeTx' ? decimalOrNull(tx.maxPriorityFeePerGas) : null,
    input: tx.input,
    access_list: tx.type === 'LegacyTx' ? null : accessList(tx.accessList),
    signed_chain_id: signedChainId(tx),
    v: tx.v,
    r: quantityText(tx.r),
    s: quantityText(tx.s),
  }))
}

type AccessList = Exclude<EvmTx, { type: 'LegacyTx' }>['accessList']

function accessList(list: AccessList): { address: string; storage_keys: string[] }[] {
  return list.map(({ address, storageKeys }) => ({
    address: repeatedAddressText(address),
    storage_keys: storageKeys.map(repeatedHashText),
  }))
}

/** An integer as the RPC writes it: hex without leading zeros. */
function quantityText(value: bigint): string {
  return `0x${value.toString(16)}`
}
