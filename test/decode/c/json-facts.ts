import { utils } from '@avalabs/avalanchejs'
import { addressBytes, addressText } from '../../../codec/ids.ts'

/** Facts that the RPC of a node states of a C block, in the form of the rows of the lake. */

function integer(hex: string | undefined): bigint | null {
  return hex === undefined ? null : BigInt(hex)
}

function bytesOf(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex.slice(2), 'hex'))
}

function time(block: any): bigint {
  const milliseconds = integer(block.timestampMilliseconds) ?? BigInt(block.timestamp) * 1000n
  return milliseconds * 1000n
}

export function blockFacts(block: any): object {
  return {
    block_number: Number(block.number),
    block_time: time(block),
    block_hash: block.hash,
    parent_hash: block.parentHash,
    sha3_uncles: block.sha3Uncles,
    miner: block.miner,
    state_root: block.stateRoot,
    transactions_root: block.transactionsRoot,
    receipts_root: block.receiptsRoot,
    logs_bloom: bytesOf(block.logsBloom),
    difficulty: integer(block.difficulty),
    gas_limit: integer(block.gasLimit),
    gas_used: Number(block.gasUsed),
    timestamp_seconds: integer(block.timestamp),
    extra_data: bytesOf(block.extraData),
    mix_hash: block.mixHash,
    nonce: integer(block.nonce),
    ext_data_hash: block.extDataHash,
    base_fee_per_gas: integer(block.baseFeePerGas),
    ext_data_gas_used: integer(block.extDataGasUsed),
    block_gas_cost: integer(block.blockGasCost),
    blob_gas_used: integer(block.blobGasUsed),
    excess_blob_gas: integer(block.excessBlobGas),
    parent_beacon_block_root: block.parentBeaconBlockRoot,
    timestamp_milliseconds: integer(block.timestampMilliseconds),
    min_delay_excess: integer(block.minDelayExcess),
    target_exponent: integer(block.targetExponent),
    min_price_exponent: integer(block.minPriceExponent),
    settled_height: block.settledHeight === undefined ? null : Number(block.settledHeight),
    settled_gas_unix: integer(block.settledGasUnix),
    settled_gas_numerator: integer(block.settledGasNumerator),
    settled_excess: integer(block.settledExcess),
    ext_data_length: block.blockExtraData.length / 2 - 1,
    transaction_count: block.transactions.length,
  }
}

export function transactionFacts(block: any): object[] {
  return block.transactions.map((tx: any, index: number) => ({
    block_number: Number(block.number),
    block_time: time(block),
    transaction_index: index,
    transaction_hash: tx.hash,
    transaction_type: Number(tx.type),
    nonce: integer(tx.nonce),
    to_address: tx.to,
    value: integer(tx.value),
    value_raw: BigInt(tx.value).toString(),
    gas_limit: integer(tx.gas),
    // For a dynamic-fee transaction the node returns the price that was paid, which the transaction does not state.
    gas_price: tx.type === '0x2' ? null : integer(tx.gasPrice),
    max_fee_per_gas: integer(tx.maxFeePerGas),
    max_priority_fee_per_gas: integer(tx.maxPriorityFeePerGas),
    input: bytesOf(tx.input),
    access_list:
      tx.accessList?.map(({ address, storageKeys }: any) => ({ address, storage_keys: storageKeys })) ?? null,
    signed_chain_id: integer(tx.chainId),
    v: integer(tx.v),
    r: tx.r,
    s: tx.s,
  }))
}

/** The bytes of an address as hex. The independent decoder writes them as bech32 with a meaningless prefix. */
function hexAddress(text: string): string {
  return `0x${Buffer.from(addressBytes(text)).toString('hex')}`
}

/** The facts that an independent decoder reads from the bytes of `avax.getAtomicTx`. */
export function atomicFacts(bytes: Uint8Array, hrp: string) {
  const unsigned = utils.unpackWithManager('EVM', bytes)
  const tx = JSON.parse(JSON.stringify(unsigned, (_, value) => (typeof value === 'bigint' ? `${value}` : value)))
  const imports = (tx.importedInputs ?? []).map(({ utxoID, assetId, input }: any) => ({
    kind: 'import',
    source_tx_id: utxoID.txID,
    source_output_index: utxoID.outputIdx,
    asset_id: assetId,
    amount: BigInt(input.amt),
    signature_indices: input.input.sigIndices,
    evm_address: null,
    nonce: null,
  }))
  const debits = (tx.ins ?? []).map(({ address, amount, assetId, nonce }: any) => ({
    kind: 'evm',
    source_tx_id: null,
    source_output_index: null,
    asset_id: assetId,
    amount: BigInt(amount),
    signature_indices: null,
    evm_address: hexAddress(address),
    nonce: BigInt(nonce),
  }))
  const exports = (tx.exportedOutputs ?? []).map(({ assetId, output }: any) => ({
    kind: 'export',
    evm_address: null,
    asset_id: assetId,
    amount: BigInt(output.amt),
    addresses: output.outputOwners.addrs.map((each: string) => addressText(hrp, addressBytes(each))),
    threshold: output.outputOwners.threshold,
    locktime: BigInt(output.outputOwners.locktime),
  }))
  const credits = (tx.Outs ?? []).map(({ address, amount, assetId }: any) => ({
    kind: 'evm',
    evm_address: hexAddress(address),
    asset_id: assetId,
    amount: BigInt(amount),
    addresses: null,
    threshold: null,
    locktime: null,
  }))
  return {
    transaction: {
      tx_type: tx._type.replace('evm.', ''),
      source_chain_id: tx.sourceChain ?? null,
      destination_chain_id: tx.destinationChain ?? null,
    },
    inputs: [...imports, ...debits].map((fact, index) => ({ input_index: index, ...fact })),
    outputs: [...exports, ...credits].map((fact, index) => ({ output_index: index, ...fact })),
  }
}
