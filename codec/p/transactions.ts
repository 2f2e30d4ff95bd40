import { list, type Schema, struct, union, type ValueOf, versioned } from '../linear/index.ts'
import { anyCredential } from './parts.ts'
import * as staking from './staking-txs.ts'
import * as subnets from './subnet-txs.ts'

/** Every transaction of the P-Chain by its type id (wire-format.md 1.7), with the additions of Banff, Durango, Etna and Helicon. */
export const unsignedPTx = union('P transaction', {
  12: staking.addValidatorTx,
  13: staking.addSubnetValidatorTx,
  14: staking.addDelegatorTx,
  15: subnets.createChainTx,
  16: subnets.createSubnetTx,
  17: subnets.importTx,
  18: subnets.exportTx,
  19: subnets.advanceTimeTx,
  20: staking.rewardValidatorTx,
  23: staking.removeSubnetValidatorTx,
  24: staking.transformSubnetTx,
  25: staking.addPermissionlessValidatorTx,
  26: staking.addPermissionlessDelegatorTx,
  33: subnets.transferSubnetOwnershipTx,
  34: subnets.baseTx,
  35: subnets.convertSubnetToL1Tx,
  36: subnets.registerL1ValidatorTx,
  37: subnets.setL1ValidatorWeightTx,
  38: subnets.increaseL1ValidatorBalanceTx,
  39: subnets.disableL1ValidatorTx,
  40: staking.addAutoRenewedValidatorTx,
  41: staking.setAutoRenewedValidatorConfigTx,
  42: staking.rewardAutoRenewedValidatorTx,
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
