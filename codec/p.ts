import { openOnce, parentText } from './containers.ts'
import {
  baseTxFields,
  credential,
  outputOwners,
  secpInput,
  transferableInput,
  transferableOutput,
  transferInput,
  transferOutput,
  utxo,
} from './fxs.ts'
import {
  bytes,
  decodeExactly,
  fixed,
  id,
  list,
  type Schema,
  shortId,
  spanned,
  struct,
  text,
  u8,
  u32,
  u64,
  union,
  type ValueOf,
  versioned,
} from './linear.ts'

/** The P-Chain numbers the types of blocks and transactions in one sequence (wire-format.md 1.7). */
const plainInput = union('input', { 5: transferInput })
const plainOutput = union('output', { 7: transferOutput })

/** Locked until `locktime` (Unix seconds). The owner may stake it before. */
const lockIn = struct('stakeable.LockIn', { locktime: u64, input: plainInput })
const lockOut = struct('stakeable.LockOut', { locktime: u64, output: plainOutput })

export const input = union('input', { 5: transferInput, 21: lockIn })
export const output = union('output', { 7: transferOutput, 22: lockOut })
const anyCredential = union('credential', { 9: credential })
/** Authorizes a change to a subnet, a validator or its configuration. */
const authorization = union('authorization', { 10: secpInput })
export const owner = union('owner', { 11: outputOwners })

const blsPublicKey = fixed(48)
const blsSignature = fixed(96)

/** BLS public key of a validator (48 bytes) and the proof that it has the secret key (96 bytes). */
export const proofOfPossession = struct('signer.ProofOfPossession', {
  publicKey: blsPublicKey,
  proofOfPossession: blsSignature,
})
export const signer = union('signer', { 27: struct('signer.Empty', {}), 28: proofOfPossession })

const pTransferableInput = transferableInput(input)
const pTransferableOutput = transferableOutput(output)
export const pUtxo = utxo(output)
export const base = baseTxFields(output, input)

export type PInputValue = ValueOf<typeof pTransferableInput>
export type POutputValue = ValueOf<typeof pTransferableOutput>
export type Owner = ValueOf<typeof owner>
export type Signer = ValueOf<typeof signer>

/** `start` and `end` are in Unix seconds. The node ignores `start` since Durango. */
const validatorFields = { nodeID: shortId, start: u64, end: u64, weight: u64 }
export const validator = struct('Validator', validatorFields)
const stake = list(pTransferableOutput)

/** An owner without a locktime. Validators of an L1 have such owners. */
export const pChainOwner = struct('PChainOwner', { threshold: u32, addresses: list(shortId) })

const l1Validator = struct('ConvertSubnetToL1Validator', {
  nodeID: bytes,
  weight: u64,
  balance: u64,
  signer: proofOfPossession,
  remainingBalanceOwner: pChainOwner,
  deactivationOwner: pChainOwner,
})

export type Validator = ValueOf<typeof validator>
export type L1Validator = ValueOf<typeof l1Validator>

/** Every transaction of the P-Chain by its type id (wire-format.md 1.7), with the additions of Banff, Durango, Etna and Helicon. */
export const unsignedPTx = union('P transaction', {
  12: struct('AddValidatorTx', { ...base, validator, stake, rewardsOwner: owner, shares: u32 }),
  13: struct('AddSubnetValidatorTx', {
    ...base,
    validator: struct('SubnetValidator', { ...validatorFields, subnetID: id }),
    subnetAuthorization: authorization,
  }),
  14: struct('AddDelegatorTx', { ...base, validator, stake, rewardsOwner: owner }),
  15: struct('CreateChainTx', {
    ...base,
    subnetID: id,
    chainName: text,
    vmID: id,
    fxIDs: list(id),
    genesisData: bytes,
    subnetAuthorization: authorization,
  }),
  /** The id of this transaction is the id of the subnet. */
  16: struct('CreateSubnetTx', { ...base, owner }),
  17: struct('ImportTx', { ...base, sourceChain: id, importedInputs: list(pTransferableInput) }),
  18: struct('ExportTx', { ...base, destinationChain: id, exportedOutputs: list(pTransferableOutput) }),
  /** `time` is in Unix seconds. Exists before Banff only. */
  19: struct('AdvanceTimeTx', { time: u64 }),
  /** Proposes the end of a staking transaction. A commit block pays the reward, an abort block does not. */
  20: struct('RewardValidatorTx', { txID: id }),
  23: struct('RemoveSubnetValidatorTx', {
    ...base,
    nodeID: shortId,
    subnetID: id,
    subnetAuthorization: authorization,
  }),
  /** Amounts are in the least unit of the subnet's asset, durations in seconds. Rates and shares are parts of 1,000,000. */
  24: struct('TransformSubnetTx', {
    ...base,
    subnetID: id,
    assetID: id,
    initialSupply: u64,
    maximumSupply: u64,
    minConsumptionRate: u64,
    maxConsumptionRate: u64,
    minValidatorStake: u64,
    maxValidatorStake: u64,
    minStakeDuration: u32,
    maxStakeDuration: u32,
    minDelegationFee: u32,
    minDelegatorStake: u64,
    maxValidatorWeightFactor: u8,
    uptimeRequirement: u32,
    subnetAuthorization: authorization,
  }),
  25: struct('AddPermissionlessValidatorTx', {
    ...base,
    validator,
    subnetID: id,
    signer,
    stake,
    validationRewardsOwner: owner,
    delegationRewardsOwner: owner,
    shares: u32,
  }),
  26: struct('AddPermissionlessDelegatorTx', { ...base, validator, subnetID: id, stake, rewardsOwner: owner }),
  33: struct('TransferSubnetOwnershipTx', {
    ...base,
    subnetID: id,
    subnetAuthorization: authorization,
    newOwner: owner,
  }),
  34: struct('BaseTx', base),
  35: struct('ConvertSubnetToL1Tx', {
    ...base,
    subnetID: id,
    chainID: id,
    address: bytes,
    validators: list(l1Validator),
    subnetAuthorization: authorization,
  }),
  /** `message` is a signed Warp message with a `RegisterL1Validator`. `balance` is in nAVAX. */
  36: struct('RegisterL1ValidatorTx', { ...base, balance: u64, proofOfPossession: blsSignature, message: bytes }),
  /** `message` is a signed Warp message with an `L1ValidatorWeight`. */
  37: struct('SetL1ValidatorWeightTx', { ...base, message: bytes }),
  38: struct('IncreaseL1ValidatorBalanceTx', { ...base, validationID: id, balance: u64 }),
  39: struct('DisableL1ValidatorTx', { ...base, validationID: id, disableAuthorization: authorization }),
  /** `period` is in seconds. Shares are parts of 1,000,000. */
  40: struct('AddAutoRenewedValidatorTx', {
    ...base,
    nodeID: bytes,
    signer,
    stake,
    validationRewardsOwner: owner,
    delegationRewardsOwner: owner,
    validatorAuthority: owner,
    delegationShares: u32,
    autoCompoundRewardShares: u32,
    period: u64,
  }),
  41: struct('SetAutoRenewedValidatorConfigTx', {
    ...base,
    txID: id,
    auth: authorization,
    autoCompoundRewardShares: u32,
    period: u64,
  }),
  42: struct('RewardAutoRenewedValidatorTx', { txID: id, timestamp: u64 }),
})
export type UnsignedPTx = ValueOf<typeof unsignedPTx>

/** A transaction inside a block: without codec version. */
export const pTx: Schema<PTx> = struct('Tx', { unsignedTx: unsignedPTx, credentials: list(anyCredential) })
/** Declared explicitly, so that other declarations refer to this type by name instead of expanding it. */
export type PTx = {
  readonly unsignedTx: UnsignedPTx
  readonly credentials: readonly ValueOf<typeof anyCredential>[]
}

/** A transaction outside of a block. The sha256 of these bytes is its id. */
export const signedPTx: Schema<PTx> = versioned(pTx)

const common = { parentID: id, height: u64 }
const tx = spanned(pTx)
const txs = list(tx)
/** Unix seconds. */
const time = u64

/** Every block of the P-Chain by its type id (wire-format.md 1.7). */
const pBlockBody = union('P block', {
  0: struct('ApricotProposalBlock', { ...common, tx }),
  1: struct('ApricotAbortBlock', common),
  2: struct('ApricotCommitBlock', common),
  3: struct('ApricotStandardBlock', { ...common, txs }),
  4: struct('ApricotAtomicBlock', { ...common, tx }),
  29: struct('BanffProposalBlock', { time, txs, ...common, tx }),
  30: struct('BanffAbortBlock', { time, ...common }),
  31: struct('BanffCommitBlock', { time, ...common }),
  32: struct('BanffStandardBlock', { time, ...common, txs }),
})
export type PBlockValue = ValueOf<typeof pBlockBody>

/** A block inside a container. The sha256 of these bytes is its id. Transactions are `spanned`. */
export const pBlock: Schema<PBlockValue> = versioned(pBlockBody)

export function pContainerHeight(container: Uint8Array): bigint {
  return decodeExactly(pBlock, openOnce(container).wrapper.block, 'block').height
}

export function pContainerParent(container: Uint8Array): string {
  return parentText(container, (block) => decodeExactly(pBlock, block, 'block').parentID)
}
