import type { OpenedContainer } from '../../../codec/containers.ts'
import { sha256 } from '../../../codec/hash.ts'
import { convertedValidationId, idText, nodeIdText, txIdInBlock, utxoId } from '../../../codec/ids.ts'
import { decodeWithSpans } from '../../../codec/linear.ts'
import {
  type L1Validator,
  type PBlockValue,
  type PInputValue,
  type POutputValue,
  type PTx,
  pBlock,
  type Signer,
  type UnsignedPTx,
  type Validator,
} from '../../../codec/p.ts'
import { decodeL1Call, type L1Call, type L1Message } from '../../../codec/warp.ts'
import { pBlocks, type pInputs, type pOutputs, pTransactions, pValidations } from '../../../schemas/p-chain.ts'
import type { RowOf } from '../../define/index.ts'
import { DecodeError } from '../../errors.ts'
import type { ChainContext } from '../../model.ts'
import {
  type BlockRecord,
  blankRow,
  decoding,
  mustBeOfNetwork,
  mustHaveHeight,
  nativeLeft,
  openBlock,
  setOwner,
  setWrapper,
  signatureCount,
} from '../containers.ts'
import { addressTexts, boundedNumber, hexText, timeOf } from '../values.ts'

type PBlock = RowOf<typeof pBlocks>
type PTransaction = RowOf<typeof pTransactions>
type PValidation = RowOf<typeof pValidations>

const [noBlock, noTransaction, noValidation] = [blankRow(pBlocks), blankRow(pTransactions), blankRow(pValidations)]

type PRows = {
  blocks: PBlock[]
  transactions: PTransaction[]
  inputs: RowOf<typeof pInputs>[]
  outputs: RowOf<typeof pOutputs>[]
  validations: PValidation[]
}

/**
 * Returns the rows of a container of P/block, or of a block from platform.getBlockByHeight: columns that only a wrapper or the index knows are
 * null then. Throws `DecodeError` (facts: container, index, path, offset) if the id derived from the bytes differs, or if the bytes are not a
 * P-Chain block to the last byte.
 */
export function decodePContainer(record: BlockRecord, context: ChainContext): PRows {
  return decoding(record, () => rowsOf(record, context))
}

function rowsOf(record: BlockRecord, context: ChainContext): PRows {
  const { bytes, opened } = openBlock(record)
  const { value: block, spans } = decodeWithSpans(pBlock, bytes, 'block')
  const txs = transactionsOf(block)
  const height = boundedNumber(block.height, 'block.height')
  mustHaveHeight(record, height)
  const blockTime = timeOfBlock(block, opened)
  const blockRow: PBlock = {
    ...noBlock,
    network: context.network,
    height,
    block_id: idText(sha256(bytes)),
    parent_id: idText(block.parentID),
    block_type: block.type,
    block_time: blockTime,
    tx_count: txs.length,
  }
  setWrapper(blockRow, record, opened)
  const rows: PRows = { blocks: [blockRow], transactions: [], inputs: [], outputs: [], validations: [] }
  for (let i = 0; i < txs.length; i++) {
    const tx = txs[i]!
    const txId = txIdInBlock(bytes.subarray(spans[2 * i]!, spans[2 * i + 1]!))
    const source = {
      context,
      place: { network: context.network, height, block_time: blockTime, tx_index: i, tx_id: idText(txId) },
      block: blockRow,
      txId,
      path: 'tx' in block && i === txs.length - 1 ? 'block.tx' : `block.txs[${i}]`,
    }
    mustBeOfNetwork(tx.unsignedTx, record, context, () => source.place.tx_id)
    const transfers = addTransfers(tx.unsignedTx, source, rows.inputs, rows.outputs)
    rows.transactions.push(transactionRow(tx, source, transfers))
    addValidations(tx.unsignedTx, source, rows.validations)
  }
  return rows
}

/** Returns the transactions in the order of their bytes. The proposed transaction of a proposal block is last. */
export function transactionsOf(block: PBlockValue): readonly PTx[] {
  const txs = 'txs' in block ? block.txs : []
  return 'tx' in block ? [...txs, block.tx] : txs
}

/**
 * Returns the time of a block in microseconds: its own time since Banff, before that the time of its AdvanceTimeTx, otherwise the
 * wrapper's.
 */
export function timeOfBlock(block: PBlockValue, opened: OpenedContainer | null): bigint | null {
  if ('time' in block) return timeOf(block.time)
  if ('tx' in block && block.tx.unsignedTx.type === 'AdvanceTimeTx') return timeOf(block.tx.unsignedTx.time)
  const wrapper = opened?.wrapper
  return wrapper?.type === 'block' || wrapper?.type === 'granite' ? timeOf(wrapper.time) : null
}

function transactionRow(tx: PTx, source: TransactionSource, transfers: Transfers): PTransaction {
  const { unsignedTx } = tx
  const { place, block } = source
  const row: PTransaction = {
    ...noTransaction,
    network: place.network,
    height: place.height,
    block_time: place.block_time,
    tx_index: place.tx_index,
    tx_id: place.tx_id,
    block_id: block.block_id,
    tx_type: unsignedTx.type,
    memo: 'memo' in unsignedTx ? unsignedTx.memo : null,
    subnet_id: 'subnetID' in unsignedTx ? idText(unsignedTx.subnetID) : null,
    staked_tx_id: 'txID' in unsignedTx ? idText(unsignedTx.txID) : null,
    burned: burned(unsignedTx, transfers),
    input_count: transfers.inputCount,
    output_count: transfers.outputCount,
    signature_count: signatureCount(tx.credentials),
    authorization_indices: authorizationIn(unsignedTx),
  }
  setParameters(row, unsignedTx, source.context.hrp)
  return row
}

/** Returns the indices of the owners of a subnet or a validator that sign the transaction. Null if it needs none. */
function authorizationIn(tx: UnsignedPTx): number[] | null {
  if ('subnetAuthorization' in tx) return indicesOf(tx.subnetAuthorization)
  if ('disableAuthorization' in tx) return indicesOf(tx.disableAuthorization)
  return 'auth' in tx ? indicesOf(tx.auth) : null
}

function indicesOf({ signatureIndices }: { readonly signatureIndices: readonly number[] }): number[] {
  return signatureIndices as number[]
}

/** Returns the nAVAX that a transaction takes out of circulation: inputs minus outputs minus balances of L1 validators. */
function burned(tx: UnsignedPTx, { nativeLeft, inputCount }: Transfers): bigint | null {
  return nativeLeft === null || inputCount === 0 ? null : nativeLeft - l1Balances(tx)
}

function l1Balances(tx: UnsignedPTx): bigint {
  if (tx.type === 'ConvertSubnetToL1Tx') return tx.validators.reduce((sum, { balance }) => sum + balance, 0n)
  return 'balance' in tx ? tx.balance : 0n
}

/** Fills the columns of one or two kinds of transactions: first those of kinds with a single one. */
function setParameters(row: PTransaction, tx: UnsignedPTx, hrp: string): void {
  if (tx.type === 'AddSubnetValidatorTx') row.subnet_id = idText(tx.validator.subnetID)
  if (tx.type === 'ImportTx') row.source_chain_id = idText(tx.sourceChain)
  if (tx.type === 'ExportTx') row.destination_chain_id = idText(tx.destinationChain)
  if (tx.type === 'RewardAutoRenewedValidatorTx') row.reward_timestamp = tx.timestamp
  if (tx.type === 'TransferSubnetOwnershipTx') setOwner(row, 'owner', tx.newOwner, hrp)
  if (tx.type === 'RegisterL1ValidatorTx' || tx.type === 'SetL1ValidatorWeightTx') row.warp_message = tx.message
  switch (tx.type) {
    case 'AdvanceTimeTx':
      row.chain_time = timeOf(tx.time)
      row.chain_time_seconds = tx.time
      return
    case 'CreateSubnetTx':
      row.subnet_id = row.tx_id
      setOwner(row, 'owner', tx.owner, hrp)
      return
    case 'CreateChainTx':
      row.blockchain_name = tx.chainName
      row.vm_id = idText(tx.vmID)
      row.fx_ids = tx.fxIDs.map(idText)
      row.genesis_data = tx.genesisData
      return
    case 'ConvertSubnetToL1Tx':
      row.manager_chain_id = idText(tx.chainID)
      row.manager_address = tx.address
      return
    case 'TransformSubnetTx':
      row.asset_id = idText(tx.assetID)
      row.initial_supply = tx.initialSupply
      row.maximum_supply = tx.maximumSupply
      row.min_consumption_rate = tx.minConsumptionRate
      row.max_consumption_rate = tx.maxConsumptionRate
      row.min_validator_stake = tx.minValidatorStake
      row.max_validator_stake = tx.maxValidatorStake
      row.min_stake_duration = tx.minStakeDuration
      row.max_stake_duration = tx.maxStakeDuration
      row.min_delegation_fee = tx.minDelegationFee
      row.min_delegator_stake = tx.minDelegatorStake
      row.max_validator_weight_factor = tx.maxValidatorWeightFactor
      row.uptime_requirement = tx.uptimeRequirement
      return
  }
}

type Transfers = {
  readonly inputCount: number
  readonly outputCount: number
  /** Native asset of all inputs minus that of all outputs, in nAVAX; null if the native asset is unknown. */
  readonly nativeLeft: bigint | null
}

/** Adds the rows of the UTXOs that a transaction consumes and produces (UTXO indices: wire-format.md 1.7). */
function addTransfers(
  tx: UnsignedPTx,
  source: TransactionSource,
  inputRows: RowOf<typeof pInputs>[],
  outputRows: RowOf<typeof pOutputs>[],
): Transfers {
  const firstInput = inputRows.length
  const firstOutput = outputRows.length
  if ('inputs' in tx) addInputs(inputRows, tx.inputs, 'transfer', source, 0)
  if ('importedInputs' in tx) addInputs(inputRows, tx.importedInputs, 'import', source, tx.inputs.length)
  if ('outputs' in tx) addOutputs(outputRows, tx.outputs, 'transfer', source, 0)
  if ('stake' in tx) addOutputs(outputRows, tx.stake, 'stake', source, tx.outputs.length)
  if ('exportedOutputs' in tx) addOutputs(outputRows, tx.exportedOutputs, 'export', source, tx.outputs.length)
  return {
    inputCount: inputRows.length - firstInput,
    outputCount: outputRows.length - firstOutput,
    nativeLeft: nativeLeft(inputRows, firstInput, outputRows, firstOutput, source.context.nativeAssetId),
  }
}

function addInputs(
  rows: RowOf<typeof pInputs>[],
  inputs: readonly PInputValue[],
  kind: string,
  { place }: TransactionSource,
  first: number,
): void {
  for (let i = 0; i < inputs.length; i++) {
    const { txID, outputIndex, assetID, input } = inputs[i]!
    const locked = input.type === 'stakeable.LockIn'
    const plain = locked ? input.input : input
    rows.push({
      network: place.network,
      height: place.height,
      block_time: place.block_time,
      tx_index: place.tx_index,
      tx_id: place.tx_id,
      input_index: first + i,
      kind,
      source_tx_id: idText(txID),
      source_output_index: outputIndex,
      asset_id: idText(assetID),
      amount: plain.amount,
      stakeable_locktime: locked ? input.locktime : null,
      signature_indices: plain.signatureIndices as number[],
    })
  }
}

function addOutputs(
  rows: RowOf<typeof pOutputs>[],
  outputs: readonly POutputValue[],
  kind: string,
  { place, txId, context }: TransactionSource,
  first: number,
): void {
  for (let i = 0; i < outputs.length; i++) {
    const { assetID, output } = outputs[i]!
    const locked = output.type === 'stakeable.LockOut'
    const plain = locked ? output.output : output
    rows.push({
      network: place.network,
      height: place.height,
      block_time: place.block_time,
      tx_index: place.tx_index,
      tx_id: place.tx_id,
      output_index: first + i,
      utxo_id: idText(utxoId(txId, first + i)),
      kind,
      asset_id: idText(assetID),
      amount: plain.amount,
      addresses: addressTexts(context.hrp, plain.addresses),
      threshold: plain.threshold,
      locktime: plain.locktime,
      stakeable_locktime: locked ? output.locktime : null,
    })
  }
}

/**
 * The first columns of every row of a P-Chain transaction. Rows list each column: V8 creates a literal with a spread and dozens of
 * properties sixty times more slowly.
 */
type TransactionPlace = Pick<PTransaction, 'network' | 'height' | 'block_time' | 'tx_index' | 'tx_id'>

/** A transaction and what its rows need. */
type TransactionSource = {
  readonly context: ChainContext
  readonly place: TransactionPlace
  /** The row of its block. */
  readonly block: PBlock
  /** The 32 bytes of `place.tx_id`. */
  readonly txId: Uint8Array
  /** Path of the transaction in errors, such as `block.txs[0]`. */
  readonly path: string
}

/** What transactions do to a validator or a delegation. Other transactions change none. */
const actions: { readonly [T in UnsignedPTx['type']]?: string } = {
  AddValidatorTx: 'add',
  AddDelegatorTx: 'delegate',
  AddSubnetValidatorTx: 'add',
  RemoveSubnetValidatorTx: 'remove',
  AddPermissionlessValidatorTx: 'add',
  AddPermissionlessDelegatorTx: 'delegate',
  ConvertSubnetToL1Tx: 'add',
  RegisterL1ValidatorTx: 'add',
  SetL1ValidatorWeightTx: 'set_weight',
  IncreaseL1ValidatorBalanceTx: 'add_balance',
  DisableL1ValidatorTx: 'disable',
  AddAutoRenewedValidatorTx: 'add',
  SetAutoRenewedValidatorConfigTx: 'configure',
}

/** The subnet of transactions that always apply to the primary network. */
const primaryNetworkId = idText(new Uint8Array(32))

/** Adds a row for each validator or delegation that a transaction changes. */
function addValidations(tx: UnsignedPTx, source: TransactionSource, rows: PValidation[]): void {
  const action = actions[tx.type]
  if (action === undefined) return
  const { place } = source
  const { hrp } = source.context
  const add = (position: number): PValidation => {
    const row: PValidation = {
      ...noValidation,
      network: place.network,
      height: place.height,
      block_time: place.block_time,
      tx_index: place.tx_index,
      tx_id: place.tx_id,
      position,
      tx_type: tx.type,
      action,
    }
    if ('subnetID' in tx) row.subnet_id = idText(tx.subnetID)
    rows.push(row)
    return row
  }
  if (tx.type === 'ConvertSubnetToL1Tx') {
    for (const [position, validator] of tx.validators.entries()) {
      const row = add(position)
      row.node_id = nodeIdText(validator.nodeID)
      row.validation_id = idText(convertedValidationId(tx.subnetID, position))
      row.start_time = place.block_time
      row.weight = validator.weight
      setSigner(row, validator.signer)
      row.balance = validator.balance
      setOwner(row, 'remaining_balance_owner', validator.remainingBalanceOwner, hrp)
      setOwner(row, 'deactivation_owner', validator.deactivationOwner, hrp)
    }
    return
  }
  const row = add(0)
  if ('validator' in tx) setTerm(row, tx.validator, source)
  if ('nodeID' in tx) row.node_id = nodeIdText(tx.nodeID)
  if ('validationID' in tx) row.validation_id = idText(tx.validationID)
  if ('txID' in tx) row.staked_tx_id = idText(tx.txID)
  if ('signer' in tx) setSigner(row, tx.signer)
  if ('balance' in tx) row.balance = tx.balance
  if ('shares' in tx) row.delegation_shares = tx.shares
  if ('period' in tx) {
    row.period = tx.period
    row.auto_compound_reward_shares = tx.autoCompoundRewardShares
  }
  if ('rewardsOwner' in tx) setOwner(row, 'validation_reward_owner', tx.rewardsOwner, hrp)
  if ('validationRewardsOwner' in tx) {
    setOwner(row, 'validation_reward_owner', tx.validationRewardsOwner, hrp)
    setOwner(row, 'delegation_reward_owner', tx.delegationRewardsOwner, hrp)
  }
  switch (tx.type) {
    case 'AddValidatorTx':
      row.subnet_id = primaryNetworkId
      // These transactions have one owner for both rewards. Only permissionless validators have two.
      setOwner(row, 'delegation_reward_owner', tx.rewardsOwner, hrp)
      return
    case 'AddDelegatorTx':
      row.subnet_id = primaryNetworkId
      return
    case 'AddSubnetValidatorTx':
      row.subnet_id = idText(tx.validator.subnetID)
      return
    case 'AddAutoRenewedValidatorTx':
      row.subnet_id = primaryNetworkId
      row.start_time = place.block_time
      row.weight = tx.stake.reduce((sum, { output }) => sum + ('output' in output ? output.output : output).amount, 0n)
      row.delegation_shares = tx.delegationShares
      setOwner(row, 'validator_authority', tx.validatorAuthority, hrp)
      return
    case 'RegisterL1ValidatorTx': {
      const { payload, value } = l1Call(tx.message, 'warp.RegisterL1Validator', source)
      row.subnet_id = idText(value.subnetID)
      row.node_id = nodeIdText(value.nodeID)
      row.validation_id = idText(sha256(payload))
      row.start_time = place.block_time
      row.weight = value.weight
      setSigner(row, { publicKey: value.blsPublicKey, proofOfPossession: tx.proofOfPossession })
      row.expiry = value.expiry
      setOwner(row, 'remaining_balance_owner', value.remainingBalanceOwner, hrp)
      setOwner(row, 'deactivation_owner', value.disableOwner, hrp)
      return
    }
    case 'SetL1ValidatorWeightTx': {
      const { value } = l1Call(tx.message, 'warp.L1ValidatorWeight', source)
      row.validation_id = idText(value.validationID)
      row.weight = value.weight
      row.nonce = value.nonce
      return
    }
  }
}

function setTerm(row: PValidation, validator: Validator, { place, context }: TransactionSource): void {
  row.node_id = nodeIdText(validator.nodeID)
  row.stated_start = validator.start
  row.start_time = sinceDurango(place.block_time, context.durangoTime) ? place.block_time : timeOf(validator.start)
  row.stated_end = validator.end
  row.end_time = timeOf(validator.end)
  row.weight = validator.weight
}

/** Returns whether a staking begins at the time of its block. It does since Durango, and its stated start is ignored. */
function sinceDurango(blockTime: bigint | null, durangoTime: number | null): boolean {
  return blockTime !== null && durangoTime !== null && blockTime >= BigInt(durangoTime) * 1_000_000n
}

function setSigner(row: PValidation, signer: Signer | L1Validator['signer']): void {
  if (!('publicKey' in signer)) return
  row.bls_public_key = hexText(signer.publicKey)
  row.proof_of_possession = signer.proofOfPossession
}

/** Returns the L1 message in a transaction's Warp message. Throws `DecodeError` if it is not of kind `type`. */
function l1Call<T extends L1Message['type']>(
  message: Uint8Array,
  type: T,
  { path }: TransactionSource,
): L1Call & { readonly value: Extract<L1Message, { readonly type: T }> } {
  const where = `${path}.unsignedTx.message`
  const call = decodeL1Call(message, where)
  if (call.value.type === type) return { ...call, value: call.value as Extract<L1Message, { readonly type: T }> }
  throw new DecodeError(`Cannot decode ${where}: it is a ${call.value.type}, not a ${type}.`, {
    details: { path: where, offset: 0 },
  })
}
