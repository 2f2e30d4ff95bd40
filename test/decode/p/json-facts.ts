import { createHash } from 'node:crypto'
import { decodeCb58, nodeIdText } from '../../../codec/ids.ts'

/** Facts that the node's JSON of a block states, in the form of the rows of the lake. */

export function plainAddress(text: string): string {
  return text.slice(text.indexOf('-') + 1)
}

function bytesOf(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex.slice(2), 'hex'))
}

function seconds(value: bigint): bigint {
  return value * 1_000_000n
}

/** Transactions of a block in the order of `tx_index`. */
export function transactionsOf(block: any): any[] {
  return [...(block.txs ?? []), ...(block.tx === undefined ? [] : [block.tx])]
}

export function blockFacts(block: any): object {
  return {
    height: Number(block.height),
    block_id: block.id,
    parent_id: block.parentID,
    block_time: seconds(block.time),
    tx_count: transactionsOf(block).length,
  }
}

export function transactionFacts(block: any, tx: any, index: number): object {
  const unsigned = tx.unsignedTx
  return {
    height: Number(block.height),
    block_time: seconds(block.time),
    block_id: block.id,
    tx_index: index,
    tx_id: tx.id,
    memo: unsigned.memo === undefined ? null : bytesOf(unsigned.memo),
    source_chain_id: unsigned.sourceChain ?? null,
    destination_chain_id: unsigned.destinationChain ?? null,
    blockchain_name: unsigned.chainName ?? null,
    vm_id: unsigned.vmID ?? null,
    fx_ids: unsigned.fxIDs ?? null,
    genesis_data:
      unsigned.genesisData === undefined ? null : new Uint8Array(Buffer.from(unsigned.genesisData, 'base64')),
    manager_chain_id: unsigned.chainID ?? null,
    manager_address: unsigned.address === undefined ? null : bytesOf(unsigned.address),
    subnet_id: unsigned.subnetID ?? unsigned.validator?.subnetID ?? (unsigned.owner === undefined ? null : tx.id),
    staked_tx_id: unsigned.txID ?? null,
    reward_timestamp: unsigned.timestamp ?? null,
    ...ownerFacts('owner', unsigned.owner ?? unsigned.newOwner),
    input_count: inputFacts(unsigned).length,
    output_count: outputFacts(tx).length,
    signature_count: tx.credentials.reduce((sum: number, { signatures }: any) => sum + signatures.length, 0),
  }
}

export function inputFacts(unsigned: any): object[] {
  const kinds = [
    ...(unsigned.inputs ?? []).map(() => 'transfer'),
    ...(unsigned.importedInputs ?? []).map(() => 'import'),
  ]
  return [...(unsigned.inputs ?? []), ...(unsigned.importedInputs ?? [])].map((item, index) => {
    const plain = item.input.input ?? item.input
    return {
      input_index: index,
      kind: kinds[index],
      source_tx_id: item.txID,
      source_output_index: Number(item.outputIndex),
      asset_id: item.assetID,
      amount: plain.amount,
      stakeable_locktime: item.input.input === undefined ? null : item.input.locktime,
      signature_indices: plain.signatureIndices.map(Number),
    }
  })
}

export function outputFacts(tx: any): object[] {
  const unsigned = tx.unsignedTx
  const lists = { transfer: unsigned.outputs, stake: unsigned.stake, export: unsigned.exportedOutputs }
  const all = Object.entries(lists).flatMap(([kind, items]) => (items ?? []).map((item: any) => ({ kind, item })))
  return all.map(({ kind, item }, index) => {
    const plain = item.output.output ?? item.output
    const position = Buffer.alloc(8)
    position.writeBigUInt64BE(BigInt(index))
    const hash = createHash('sha256').update(position).update(decodeCb58(tx.id)).digest()
    return {
      output_index: index,
      utxo_hash: hash.toString('hex'),
      kind,
      asset_id: item.assetID,
      amount: plain.amount,
      addresses: plain.addresses.map(plainAddress),
      threshold: Number(plain.threshold),
      locktime: plain.locktime,
      stakeable_locktime: item.output.output === undefined ? null : item.output.locktime,
    }
  })
}

function ownerFacts(name: string, owner: any): object {
  return {
    [`${name}_threshold`]: owner === undefined ? null : Number(owner.threshold),
    [`${name}_locktime`]: owner?.locktime ?? null,
    [`${name}_addresses`]:
      owner === undefined || owner.locktime === undefined ? null : owner.addresses.map(plainAddress),
  }
}

/** The one validation that a transaction affects. Not for transactions with warp messages or several validators. */
export function validationFacts(block: any, unsigned: any): object | null {
  const { validator } = unsigned
  const time = seconds(block.time)
  const auto = unsigned.validatorAuthority !== undefined
  if (validator === undefined && !auto) return null
  const subnet = unsigned.subnetID ?? validator?.subnetID ?? '11111111111111111111111111111111LpoYY'
  const delegates = unsigned.rewardsOwner !== undefined && unsigned.shares === undefined
  return {
    action: delegates ? 'delegate' : 'add',
    subnet_id: subnet,
    node_id: auto ? nodeIdText(bytesOf(unsigned.nodeID)) : validator.nodeID,
    start_time: time,
    stated_start: validator?.start ?? null,
    stated_end: validator?.end ?? null,
    end_time: validator === undefined ? null : seconds(validator.end),
    weight:
      validator?.weight ??
      unsigned.stake.reduce((sum: bigint, { output }: any) => sum + (output.output ?? output).amount, 0n),
    delegation_shares:
      unsigned.shares === undefined && !auto ? null : Number(unsigned.shares ?? unsigned.delegationShares),
    bls_public_key: unsigned.signer?.publicKey ?? null,
    period: unsigned.period ?? null,
    auto_compound_reward_shares: auto ? Number(unsigned.autoCompoundRewardShares) : null,
    ...ownerFacts('validation_reward_owner', unsigned.validationRewardsOwner ?? unsigned.rewardsOwner),
    ...ownerFacts('delegation_reward_owner', unsigned.delegationRewardsOwner),
    ...ownerFacts('validator_authority', unsigned.validatorAuthority),
  }
}
