/** Facts that the node's JSON of an X block states, in the form of the rows of the lake. */

function plainAddress(text: string): string {
  return text.slice(text.indexOf('-') + 1)
}

function bytesOf(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex.slice(2), 'hex'))
}

export function blockFacts(block: any): object {
  return {
    height: Number(block.height),
    block_id: block.id,
    parent_id: block.parentID,
    block_time: block.time * 1_000_000n,
    merkle_root: block.merkleRoot,
    tx_count: block.txs.length,
  }
}

function typeOf(unsigned: any): string {
  if (unsigned.initialStates !== undefined) return 'CreateAssetTx'
  if (unsigned.operations !== undefined) return 'OperationTx'
  if (unsigned.importedInputs !== undefined) return 'ImportTx'
  return unsigned.exportedOutputs === undefined ? 'BaseTx' : 'ExportTx'
}

export function transactionFacts(tx: any): object {
  const unsigned = tx.unsignedTx
  return {
    tx_id: tx.id,
    tx_type: typeOf(unsigned),
    memo: bytesOf(unsigned.memo),
    source_chain_id: unsigned.sourceChain ?? null,
    destination_chain_id: unsigned.destinationChain ?? null,
    input_count: inputFacts(tx).length,
    output_count: outputFacts(tx).length,
    operation_count: (unsigned.operations ?? []).length,
    signature_count: tx.credentials.reduce((sum: number, { credential }: any) => sum + credential.signatures.length, 0),
  }
}

export function inputFacts({ id, unsignedTx: unsigned }: any): object[] {
  const transfers = (items: any[] | undefined, kind: string) =>
    (items ?? []).map((item) => ({
      kind,
      operation_index: null,
      source_tx_id: item.txID,
      source_output_index: Number(item.outputIndex),
      asset_id: item.assetID,
      amount: item.input.amount,
      signature_indices: item.input.signatureIndices.map(Number),
    }))
  const consumed = (unsigned.operations ?? []).flatMap((item: any, operation: number) => {
    const { mintInput, input } = item.operation
    return item.inputIDs.map((spent: any) => ({
      kind: 'operation',
      operation_index: operation,
      source_tx_id: spent.txID,
      source_output_index: Number(spent.outputIndex),
      asset_id: item.assetID,
      amount: null,
      signature_indices: (mintInput ?? input ?? item.operation).signatureIndices.map(Number),
    }))
  })
  const all = [...transfers(unsigned.inputs, 'transfer'), ...transfers(unsigned.importedInputs, 'import'), ...consumed]
  return all.map((fact, index) => ({ tx_id: id, input_index: index, ...fact }))
}

/** `types` by position among the feature extensions: secp256k1, NFT, property. */
function stateFact(fx: number, asset: string, origin: string, operation: number | null, state: any): object {
  const types = [
    state.amount === undefined ? 'mint' : 'transfer',
    state.payload === undefined ? 'nft_mint' : 'nft_transfer',
    state.owned === true ? 'property_owned' : 'property_mint',
  ]
  return {
    kind: origin === 'export' ? 'export' : 'transfer',
    origin,
    operation_index: operation,
    output_type: types[fx],
    asset_id: asset,
    amount: state.amount ?? null,
    addresses: state.addresses.map(plainAddress),
    threshold: Number(state.threshold),
    locktime: state.locktime,
    group_id: state.groupID === undefined ? null : Number(state.groupID),
    payload: state.payload === undefined ? null : bytesOf(state.payload),
  }
}

const extensions = [
  'spdxUxVJQbX85MGxMHbKw1sHxMnSqJ3QBzDyDYEP3h6TLuxqQ',
  'qd2U4HDWUvMrVUeTcCHp6xH3Qpnn1XbU5MDdnBoiifFqvgXwT',
  'rXJsCSEYXg2TehWxCEEGj6JU2PWKTkd6cBdNLjoe2SpsKD9cy',
]

/** The outputs of an operation, by the fields of its JSON. */
function madeBy({ outputs, payload, groupID, mintOutput, transferOutput, ownedOutput, output }: any): any[] {
  if (outputs !== undefined) return outputs.map((owners: any) => ({ ...owners, payload, groupID }))
  const owned = ownedOutput === undefined ? undefined : { ...ownedOutput, owned: true }
  return [mintOutput, transferOutput, owned, output].filter((state) => state !== undefined)
}

export function outputFacts({ id, unsignedTx: unsigned }: any): object[] {
  const plain = (items: any[] | undefined, origin: string) =>
    (items ?? []).map((item) => stateFact(0, item.assetID, origin, null, item.output))
  const initial = (unsigned.initialStates ?? []).flatMap((fx: any) =>
    fx.outputs.map((state: any) => stateFact(Number(fx.fxIndex), id, 'initial', null, state)),
  )
  const operated = (unsigned.operations ?? []).flatMap((item: any, operation: number) =>
    madeBy(item.operation).map((state) =>
      stateFact(extensions.indexOf(item.fxID), item.assetID, 'operation', operation, state),
    ),
  )
  const all = [
    ...plain(unsigned.outputs, 'base'),
    ...initial,
    ...operated,
    ...plain(unsigned.exportedOutputs, 'export'),
  ]
  return all.map((fact, index) => ({ tx_id: id, output_index: index, ...fact }))
}

export function assetFacts({ id, unsignedTx: unsigned }: any): object[] {
  if (unsigned.initialStates === undefined) return []
  const outputs = outputFacts({ id, unsignedTx: { initialStates: unsigned.initialStates } }) as any[]
  return [
    {
      asset_id: id,
      name: unsigned.name,
      symbol: unsigned.symbol,
      denomination: Number(unsigned.denomination),
      has_mint_output: outputs.some(({ output_type }) => output_type.endsWith('mint')),
      initial_supply: outputs.reduce((sum, { amount }) => sum + (amount ?? 0n), 0n),
    },
  ]
}

const operationTypes = new Map([
  [`${extensions[0]} mintInput`, 'mint'],
  [`${extensions[1]} mintInput`, 'nft_mint'],
  [`${extensions[1]} input`, 'nft_transfer'],
  [`${extensions[2]} mintInput`, 'property_mint'],
  [`${extensions[2]} signatureIndices`, 'property_burn'],
])

export function operationFacts({ id, unsignedTx: unsigned }: any): object[] {
  return (unsigned.operations ?? []).map((item: any, index: number) => ({
    tx_id: id,
    operation_index: index,
    operation_type: operationTypes.get(`${item.fxID} ${Object.keys(item.operation)[0]}`),
    asset_id: item.assetID,
  }))
}
