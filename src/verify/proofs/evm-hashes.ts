import {
  headerHash as hashOfHeader,
  headerNames,
  type Named,
  transactionBytes,
} from '../../../codec/evm/block-parts.ts'
import { createdAddress } from '../../../codec/evm/created-address.ts'
import { keccak256 } from '../../../codec/keccak.ts'
import { encode } from '../../../codec/linear/index.ts'
import { rlpBytes } from '../../../codec/rlp/index.ts'

type Row = Readonly<Record<string, any>>

/** Columns that are not named like the fields of the RPC. */
const renamed: Readonly<Record<string, string>> = {
  hash: 'block_hash',
  number: 'block_number',
  timestamp: 'timestamp_seconds',
  gas: 'gas_limit',
  to: 'to_address',
  type: 'transaction_type',
  chainId: 'signed_chain_id',
}

type Columns = readonly (readonly [name: string, column: string, exact: string])[]

function columnsOf(names: readonly string[]): Columns {
  return names.map((name) => {
    const column = renamed[name] ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    return [name, column, `${column}_raw`]
  })
}

const ofHeader = columnsOf(['hash', ...headerNames])
const ofTransaction = columnsOf([
  ...['type', 'chainId', 'nonce', 'gasPrice', 'maxPriorityFeePerGas', 'maxFeePerGas', 'gas', 'to', 'value', 'input'],
  ...['accessList', 'maxFeePerBlobGas', 'blobVersionedHashes', 'authorizationList', 'yParity', 'v', 'r', 's'],
])

/** Amounts that may have more than 38 digits come from their texts. */
function named(row: Row, columns: Columns): Named {
  const fields: Record<string, unknown> = {}
  for (const [name, column, exact] of columns) fields[name] = row[exact] ?? row[column]
  return fields
}

/** A row of blocks by the names of the RPC. */
export function namedHeader(row: Row): Named {
  return named(row, ofHeader)
}

/** A row of transactions by the names of the RPC. */
export function namedTransaction(row: Row): Named {
  return named(row, ofTransaction)
}

/** Derives the hash of a C-Chain block from its header; returns nothing if a column holds no exact value. */
export function headerHash(row: Row): Row {
  if (row['ext_data_hash'] === null) return {}
  // The header of the genesis block has a different shape.
  if (Number(row['block_number']) === 0) return {}
  const hash = hashOfHeader(namedHeader(row), 'coreth')
  return hash === null ? {} : { block_hash: hash, ...extraDataHash(row) }
}

/** Derives the hash of the extra data of a block. Before Apricot phase 1, headers hold zeros. */
function extraDataHash(row: Row): Row {
  const { block_extra_data: extra, ext_data_hash: hash } = row
  if (extra === null || extra === undefined || /^0x0+$/.test(hash)) return {}
  return { ext_data_hash: hexOf(keccak256(encode(rlpBytes, extra))) }
}

/** Derives the hash of a transaction, and the address of the contract that it creates; returns nothing for types that are not known. */
export function transactionHash(row: Row): Row {
  const bytes = transactionBytes(namedTransaction(row))
  return { ...(bytes === null ? {} : { transaction_hash: hexOf(keccak256(bytes)) }), ...createdContract(row) }
}

/** Derives the address of a created contract from the sender and the nonce of its transaction. */
function createdContract(row: Row): Row {
  const { to_address: to, contract_address: contract, from_address: from, nonce } = row
  if (to !== null || contract === null || contract === undefined || nonce === null) return {}
  return { contract_address: createdAddress(from, BigInt(nonce)) }
}

function hexOf(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`
}
