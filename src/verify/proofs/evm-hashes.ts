import { cBlockHash } from '../../codec/c/blocks.ts'
import { evmTxHash } from '../../codec/c/evm-transactions.ts'
import type { CHeader } from '../../codec/c/header.ts'
import { keccak256 } from '../../codec/keccak.ts'
import { encode } from '../../codec/linear/index.ts'
import { rlpBytes, rlpFixed, rlpStruct, rlpU64 } from '../../codec/rlp/index.ts'

type Row = Readonly<Record<string, any>>

const creatorSchema = rlpStruct('Creator', { from: rlpFixed(20), nonce: rlpU64 })

/** Derives the hash of a C-Chain block from its header; returns nothing if a column holds no exact value. */
export function headerHash(row: Row): Row {
  if (row['ext_data_hash'] === null || row['difficulty'] === null || row['state_root'] === null) return {}
  // The header of the genesis block has a different shape.
  if (Number(row['block_number']) === 0) return {}
  const nonce = new Uint8Array(8)
  new DataView(nonce.buffer).setBigUint64(0, BigInt(row['nonce']))
  const header: CHeader = {
    parentHash: bytes(row['parent_hash']),
    sha3Uncles: bytes(row['sha3_uncles']),
    miner: bytes(row['miner']),
    stateRoot: bytes(row['state_root']),
    transactionsRoot: bytes(row['transactions_root']),
    receiptsRoot: bytes(row['receipts_root']),
    logsBloom: row['logs_bloom'],
    difficulty: BigInt(row['difficulty']),
    number: BigInt(row['block_number']),
    gasLimit: BigInt(row['gas_limit']),
    gasUsed: BigInt(row['gas_used']),
    timestamp: BigInt(row['timestamp_seconds']),
    extraData: row['extra_data'],
    mixHash: bytes(row['mix_hash']),
    nonce,
    extDataHash: bytes(row['ext_data_hash']),
    baseFeePerGas: whole(row['base_fee_per_gas']),
    extDataGasUsed: whole(row['ext_data_gas_used']),
    blockGasCost: whole(row['block_gas_cost']),
    blobGasUsed: whole(row['blob_gas_used']),
    excessBlobGas: whole(row['excess_blob_gas']),
    parentBeaconBlockRoot: row['parent_beacon_block_root'] === null ? null : bytes(row['parent_beacon_block_root']),
    timestampMilliseconds: whole(row['timestamp_milliseconds']),
    minDelayExcess: whole(row['min_delay_excess']),
    targetExponent: whole(row['target_exponent']),
    minPriceExponent: whole(row['min_price_exponent']),
    settledHeight: whole(row['settled_height']),
    settledGasUnix: whole(row['settled_gas_unix']),
    settledGasNumerator: whole(row['settled_gas_numerator']),
    settledExcess: whole(row['settled_excess']),
  }
  return { block_hash: text(cBlockHash(header)), ...extraDataHash(row) }
}

/** Derives the hash of the extra data of a block. Before Apricot phase 1, headers hold zeros. */
function extraDataHash(row: Row): Row {
  const { block_extra_data: extra, ext_data_hash: hash } = row
  if (extra === null || extra === undefined || /^0x0+$/.test(hash)) return {}
  return { ext_data_hash: text(keccak256(encode(rlpBytes, extra))) }
}

/** Derives the address of a created contract from the sender and the nonce of its transaction. */
function createdContract(row: Row): Row {
  if (row['to_address'] !== null || row['contract_address'] === null || row['contract_address'] === undefined) return {}
  const creator = encode(creatorSchema, { from: bytes(row['from_address']), nonce: BigInt(row['nonce']) })
  return { contract_address: `0x${text(keccak256(creator)).slice(-40)}` }
}

/** Derives the hash of a transaction of the C-Chain; returns nothing for other types, or if an amount is not exact. */
export function transactionHash(row: Row): Row {
  return { ...hashOf(row), ...createdContract(row) }
}

function hashOf(row: Row): Row {
  const signature = { v: whole(row['v']), r: whole(row['r']), s: whole(row['s']) }
  const { v, r, s } = signature
  if (v === null || r === null || s === null) return {}
  const common = {
    nonce: BigInt(row['nonce']),
    gas: BigInt(row['gas_limit']),
    to: row['to_address'] === null ? null : bytes(row['to_address']),
    value: BigInt(row['value_raw']),
    input: row['input'] as Uint8Array,
    v,
    r,
    s,
  }
  const gasPrice = whole(row['gas_price'])
  if (Number(row['transaction_type']) === 0)
    return gasPrice === null ? {} : { transaction_hash: text(evmTxHash({ type: 'LegacyTx', gasPrice, ...common })) }
  const chainId = whole(row['signed_chain_id'])
  if (chainId === null || row['access_list'] === null) return {}
  const accessList = (row['access_list'] as readonly Row[]).map(({ address, storage_keys: keys }) => ({
    address: bytes(address),
    storageKeys: (keys as readonly string[]).map(bytes),
  }))
  if (Number(row['transaction_type']) === 1)
    return gasPrice === null
      ? {}
      : { transaction_hash: text(evmTxHash({ type: 'AccessListTx', chainId, gasPrice, accessList, ...common })) }
  const [maxFeePerGas, maxPriorityFeePerGas] = [whole(row['max_fee_per_gas']), whole(row['max_priority_fee_per_gas'])]
  if (Number(row['transaction_type']) !== 2 || maxFeePerGas === null || maxPriorityFeePerGas === null) return {}
  return {
    transaction_hash: text(
      evmTxHash({ type: 'DynamicFeeTx', chainId, maxFeePerGas, maxPriorityFeePerGas, accessList, ...common }),
    ),
  }
}

function whole(value: unknown): bigint | null {
  return value === null ? null : BigInt(value as string)
}

function bytes(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex.slice(2), 'hex'))
}

function text(hash: Uint8Array): string {
  return `0x${Buffer.from(hash).toString('hex')}`
}
