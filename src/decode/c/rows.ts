import {
  type AtomicTx,
  cBlockNumber,
  decodeCBlock,
  decodeExtData,
  type EvmTx,
  evmSender,
  type HashedCBlock,
  signedChainId,
  type UnsignedAtomicTx,
} from '../../../codec/c.ts'
import type { OpenedContainer } from '../../../codec/containers.ts'
import { decodingOf } from '../../../codec/errors.ts'
import { type CHeader, cHeader } from '../../../codec/evm/header.ts'
import { idText, utxoId } from '../../../codec/ids.ts'
import type { RecoverKey } from '../../../codec/secp256k1.ts'
import {
  type cAtomicInputs,
  type cAtomicOutputs,
  type cAtomicTransactions,
  cBlocks,
  type cSenders,
  type cTransactions,
} from '../../../schemas/c-chain.ts'
import type { RowOf } from '../../define/index.ts'
import { DecodeError } from '../../errors.ts'
import type { ChainContext, Container } from '../../model.ts'
import {
  blankRow,
  decoding,
  mustBeOfNetwork,
  mustBeSignedFor,
  nativeLeft,
  openContainer,
  setWrapper,
  signatureCount,
} from '../containers.ts'
import {
  addressTexts,
  boundedNumber,
  decimalOrNull,
  hexText,
  repeatedAddressText,
  repeatedHashText,
  textOrNull,
  timeOf,
  timeOfMilliseconds,
} from '../values.ts'

type CBlock = RowOf<typeof cBlocks>
type CTransaction = RowOf<typeof cTransactions>
type CRows = { blocks: CBlock[]; transactions: CTransaction[] } & AtomicRows

const noBlock = blankRow(cBlocks)

/**
 * Returns the rows of a container of C/block. Throws `DecodeError` (facts: container, index, path, offset) if the id derived from the bytes
 * differs, if the bytes are not a C-Chain block to the last byte, or if a header field or a kind of transaction is unknown.
 */
export function decodeCContainer(container: Container, context: ChainContext): CRows {
  return decoding(container, () => {
    const opened = openCBlock(container, context)
    const { block, transactionHashes, place } = opened
    const { txs, txIds } = decodeExtData(block.extData, 'block.extData')
    const rows: CRows = {
      blocks: [blockRow(container, opened, txs.length)],
      transactions: block.transactions.map((tx, i) => transactionRow(tx, transactionHashes[i]!, place, i)),
      atomicTransactions: [],
      atomicInputs: [],
      atomicOutputs: [],
    }
    for (const { signed_chain_id, transaction_hash } of rows.transactions)
      mustBeSignedFor(signed_chain_id, container, context, transaction_hash)
    txs.forEach((tx, txIndex) => {
      const txId = txIds[txIndex]!
      mustBeOfNetwork(tx.unsignedTx, container, context, () => idText(txId))
      addAtomicTransaction(tx, { context, place, txIndex, txId, txIdText: idText(txId) }, rows)
    })
    return rows
  })
}

type OpenCBlock = HashedCBlock & { readonly container: OpenedContainer; readonly place: CPlace }

/**
 * Decodes the block in a container of C/block: a wrapped block, or before Apricot phase 4 the bare block with its hash as its id. Throws
 * `DecodeError` if the id derived from the bytes differs from the node's, or if the content is impossible in a C-Chain block.
 */
export function openCBlock(container: Container, context: ChainContext): OpenCBlock {
  const opened = openContainer(container)
  const hashed = decodeNamed(opened.wrapper.block)
  const { header, uncles, version } = hashed.block
  if (uncles.length > 0 || version !== 0n)
    throw new DecodeError(`The C block ${header.number} has uncles or another version than 0, which no table holds.`, {
      details: { path: uncles.length > 0 ? 'block.uncles' : 'block.version', uncles: uncles.length, version },
    })
  const place = {
    network: context.network,
    blockchain_id: context.blockchainId,
    block_number: boundedNumber(header.number, 'block.header.number'),
    block_time: blockTime(header),
  }
  // Lists all fields instead of spreading them: all blocks then have one hidden class, which keeps their readers fast.
  const { block, hash, transactionBytes, transactionHashes } = hashed
  return { block, hash, transactionBytes, transactionHashes, container: opened, place }
}

/** Decodes a block. Errors about an unknown header field or kind of transaction name the block. */
function decodeNamed(block: Uint8Array): HashedCBlock {
  return decodingOf(
    () => decodeCBlock(block, 'block'),
    () => {
      const number = cBlockNumber(block)
      return number === null ? null : [`C block ${number}`, { block_number: number }]
    },
  )
}

function blockTime(header: CHeader): bigint | null {
  if (header.timestampMilliseconds === null) return timeOf(header.timestamp)
  return timeOfMilliseconds(header.timestampMilliseconds)
}

function blockRow(container: Container, opened: OpenCBlock, atomicTransactionCount: number): CBlock {
  const { block, hash, place } = opened
  const { header } = block
  const { parentBeaconBlockRoot, settledHeight } = header
  const row: CBlock = {
    ...noBlock,
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
  }
  setWrapper(row, container, opened.container)
  return row
}

const requiredFields = Object.keys(cHeader.fields).length
const addedFields = Object.keys(cHeader.optional) as (keyof CHeader)[]

/** Returns the number of fields in the header. Forks only append fields, so no field follows the first one that is null. */
function fieldCount(header: CHeader): number {
  const firstMissing = addedFields.findIndex((field) => header[field] === null)
  return requiredFields + (firstMissing === -1 ? addedFields.length : firstMissing)
}

const typeNumbers = { LegacyTx: 0, AccessListTx: 1, DynamicFeeTx: 2 } as const

function transactionRow(tx: EvmTx, hash: Uint8Array, place: CPlace, position: number): CTransaction {
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

function accessList(list: Exclude<EvmTx, { type: 'LegacyTx' }>['accessList']) {
  return list.map(({ address, storageKeys }) => ({
    address: repeatedAddressText(address),
    storage_keys: storageKeys.map(repeatedHashText),
  }))
}

/** Returns an integer as the RPC writes it: hex without leading zeros. */
function quantityText(value: bigint): string {
  return `0x${value.toString(16)}`
}

type AtomicRows = {
  atomicTransactions: RowOf<typeof cAtomicTransactions>[]
  atomicInputs: RowOf<typeof cAtomicInputs>[]
  atomicOutputs: RowOf<typeof cAtomicOutputs>[]
}

function addAtomicTransaction(tx: AtomicTx, source: AtomicSource, rows: AtomicRows): void {
  const { unsignedTx } = tx
  const { place, context } = source
  const firstInput = rows.atomicInputs.length
  const firstOutput = rows.atomicOutputs.length
  addAtomicInputs(unsignedTx, source, rows.atomicInputs)
  addAtomicOutputs(unsignedTx, source, rows.atomicOutputs)
  rows.atomicTransactions.push({
    network: place.network,
    blockchain_id: place.blockchain_id,
    block_number: place.block_number,
    block_time: place.block_time,
    tx_index: source.txIndex,
    tx_id: source.txIdText,
    tx_type: unsignedTx.type,
    source_chain_id: unsignedTx.type === 'ImportTx' ? idText(unsignedTx.sourceChain) : null,
    destination_chain_id: unsignedTx.type === 'ExportTx' ? idText(unsignedTx.destinationChain) : null,
    burned: nativeLeft(rows.atomicInputs, firstInput, rows.atomicOutputs, firstOutput, context.nativeAssetId),
    input_count: rows.atomicInputs.length - firstInput,
    output_count: rows.atomicOutputs.length - firstOutput,
    signature_count: signatureCount(tx.credentials),
  })
}

/** The first columns of every row of a C-Chain block. */
type CPlace = Pick<CBlock, 'network' | 'blockchain_id' | 'block_number' | 'block_time'>

/** An atomic transaction and what its rows need. */
type AtomicSource = {
  readonly context: ChainContext
  readonly place: CPlace
  readonly txIndex: number
  /** The 32 bytes of the id; `txIdText` is its CB58 text. */
  readonly txId: Uint8Array
  readonly txIdText: string
}

/** Adds a row for each imported UTXO, or for each account that pays for an export. */
function addAtomicInputs(tx: UnsignedAtomicTx, source: AtomicSource, rows: RowOf<typeof cAtomicInputs>[]): void {
  const { place, txIndex, txIdText } = source
  const inputs = tx.type === 'ImportTx' ? tx.importedInputs : tx.inputs
  for (const [i, input] of inputs.entries()) {
    const [utxo, account] = 'txID' in input ? [input, null] : [null, input]
    rows.push({
      network: place.network,
      blockchain_id: place.blockchain_id,
      block_number: place.block_number,
      block_time: place.block_time,
      tx_index: txIndex,
      tx_id: txIdText,
      input_index: i,
      kind: utxo === null ? 'evm' : 'import',
      source_tx_id: utxo && idText(utxo.txID),
      source_output_index: utxo?.outputIndex ?? null,
      evm_address: account && repeatedAddressText(account.address),
      nonce: account?.nonce ?? null,
      asset_id: idText(input.assetID),
      amount: 'input' in input ? input.input.amount : input.amount,
      signature_indices: utxo && (utxo.input.signatureIndices as number[]),
    })
  }
}

/** Adds a row for each account that an import credits, or for each exported UTXO. Indices of UTXOs begin at 0 (wire-format.md 1.8). */
function addAtomicOutputs(tx: UnsignedAtomicTx, source: AtomicSource, rows: RowOf<typeof cAtomicOutputs>[]): void {
  const { place, txIndex, txId, txIdText, context } = source
  const outputs = tx.type === 'ExportTx' ? tx.exportedOutputs : tx.outputs
  for (const [i, output] of outputs.entries()) {
    const [utxo, account] = 'output' in output ? [output.output, null] : [null, output]
    rows.push({
      network: place.network,
      blockchain_id: place.blockchain_id,
      block_number: place.block_number,
      block_time: place.block_time,
      tx_index: txIndex,
      tx_id: txIdText,
      output_index: i,
      kind: utxo === null ? 'evm' : 'export',
      utxo_id: utxo && idText(utxoId(txId, i)),
      evm_address: account && repeatedAddressText(account.address),
      asset_id: idText(output.assetID),
      amount: 'output' in output ? output.output.amount : output.amount,
      addresses: utxo && addressTexts(context.hrp, utxo.addresses),
      threshold: utxo?.threshold ?? null,
      locktime: utxo?.locktime ?? null,
    })
  }
}

/**
 * Creates a reader that recovers the senders of the EVM transactions of a container of C/block from their signatures. This takes many times
 * as long as `decodeCContainer`. It throws `DecodeError` like that, and for a signature that no key can have made.
 */
export function createSenderReader(recover: RecoverKey) {
  return (container: Container, context: ChainContext): { senders: RowOf<typeof cSenders>[] } =>
    decoding(container, () => {
      const { block, transactionBytes, transactionHashes, place } = openCBlock(container, context)
      const senders = block.transactions.map((tx, i) => ({
        network: place.network,
        blockchain_id: place.blockchain_id,
        block_number: place.block_number,
        block_time: place.block_time,
        transaction_index: i,
        transaction_hash: hexText(transactionHashes[i]!),
        from_address: repeatedAddressText(evmSender(tx, recover, transactionBytes[i])),
      }))
      return { senders }
    })
}
