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

/** The chain id of a legacy transaction is in its v; the node says it apart from the signature only where there is one. */
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
    // Of a transaction with dynamic fee the node gives the price that was paid, beside what it states.
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

/** What `avax.getAtomicTx` (json) says of a transaction: addresses with a chain prefix, integers bare. */
export function atomicFacts(tx: any): { transaction: object; inputs: object[]; outputs: object[] } {
  const { sourceChain, destinationChain, importedInputs, exportedOutputs, inputs, outputs } = tx.unsignedTx
  const imports = (importedInputs ?? []).map((item: any) => ({
    kind: 'import',
    source_tx_id: item.txID,
    source_output_index: Number(item.outputIndex),
    asset_id: item.assetID,
    amount: item.input.amount,
    signature_indices: item.input.signatureIndices.map(Number),
    evm_address: null,
    nonce: null,
  }))
  const exports = (exportedOutputs ?? []).map((item: any) => ({
    kind: 'export',
    asset_id: item.assetID,
    amount: item.output.amount,
    addresses: item.output.addresses.map((text: string) => text.slice(text.indexOf('-') + 1)),
    threshold: Number(item.output.threshold),
    locktime: item.output.locktime,
    evm_address: null,
  }))
  const evm = (items: any[] | undefined) =>
    (items ?? []).map((item) => ({
      kind: 'evm',
      evm_address: item.address.toLowerCase(),
      asset_id: item.assetID,
      amount: item.amount,
      ...(item.nonce === undefined ? {} : { nonce: item.nonce }),
    }))
  return {
    transaction: {
      tx_type: sourceChain === undefined ? 'ExportTx' : 'ImportTx',
      source_chain_id: sourceChain ?? null,
      destination_chain_id: destinationChain ?? null,
    },
    inputs: [...imports, ...evm(inputs)].map((fact, index) => ({ input_index: index, ...fact })),
    outputs: [...exports, ...evm(outputs)].map((fact, index) => ({ output_index: index, ...fact })),
  }
}
