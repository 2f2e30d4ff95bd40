import { bytes, fixed, id, list, shortId, struct, text, u32, u64, type ValueOf } from '../linear/index.ts'
import { authorization, base, owner, proofOfPossession, pTransferableInput, pTransferableOutput } from './parts.ts'

export const createChainTx = struct('CreateChainTx', {
  ...base,
  subnetID: id,
  chainName: text,
  vmID: id,
  fxIDs: list(id),
  genesisData: bytes,
  subnetAuthorization: authorization,
})

/** The id of this transaction is the id of the subnet. */
export const createSubnetTx = struct('CreateSubnetTx', { ...base, owner })

export const importTx = struct('ImportTx', { ...base, sourceChain: id, importedInputs: list(pTransferableInput) })

export const exportTx = struct('ExportTx', {
  ...base,
  destinationChain: id,
  exportedOutputs: list(pTransferableOutput),
})

/** `time` is in Unix seconds. Exists before Banff only. */
export const advanceTimeTx = struct('AdvanceTimeTx', { time: u64 })

export const transferSubnetOwnershipTx = struct('TransferSubnetOwnershipTx', {
  ...base,
  subnetID: id,
  subnetAuthorization: authorization,
  newOwner: owner,
})

export const baseTx = struct('BaseTx', base)

/** An owner without a locktime. Validators of an L1 have such owners. */
export const pChainOwner = struct('PChainOwner', { threshold: u32, addresses: list(shortId) })

export const l1Validator = struct('ConvertSubnetToL1Validator', {
  nodeID: bytes,
  weight: u64,
  balance: u64,
  signer: proofOfPossession,
  remainingBalanceOwner: pChainOwner,
  deactivationOwner: pChainOwner,
})

export const convertSubnetToL1Tx = struct('ConvertSubnetToL1Tx', {
  ...base,
  subnetID: id,
  chainID: id,
  address: bytes,
  validators: list(l1Validator),
  subnetAuthorization: authorization,
})

/** `message` is a signed Warp message with a `RegisterL1Validator`. `balance` is in nAVAX. */
export const registerL1ValidatorTx = struct('RegisterL1ValidatorTx', {
  ...base,
  balance: u64,
  proofOfPossession: fixed(96),
  message: bytes,
})

/** `message` is a signed Warp message with an `L1ValidatorWeight`. */
export const setL1ValidatorWeightTx = struct('SetL1ValidatorWeightTx', { ...base, message: bytes })

export const increaseL1ValidatorBalanceTx = struct('IncreaseL1ValidatorBalanceTx', {
  ...base,
  validationID: id,
  balance: u64,
})

export const disableL1ValidatorTx = struct('DisableL1ValidatorTx', {
  ...base,
  validationID: id,
  disableAuthorization: authorization,
})

export type L1Validator = ValueOf<typeof l1Validator>
