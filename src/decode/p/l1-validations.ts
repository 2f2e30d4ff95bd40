import { idText } from '../../../codec/cb58.ts'
import { sha256 } from '../../../codec/hash.ts'
import { convertedValidationId } from '../../../codec/ids.ts'
import { decodeL1Call, type L1Call } from '../../../codec/l1.ts'
import { nodeIdText } from '../../../codec/node-id.ts'
import type { UnsignedPTx } from '../../../codec/p/transactions.ts'
import type { L1Message } from '../../../codec/warp.ts'
import type { PValidation } from '../../../schemas/p-validations.ts'
import { DecodeError } from '../../errors.ts'
import { setOwner } from '../owner.ts'
import { hexText } from '../texts.ts'
import type { TransactionSource } from './place.ts'
import { validationRow } from './validation-row.ts'

type Tx<T extends UnsignedPTx['type']> = Extract<UnsignedPTx, { readonly type: T }>

/** Returns a row for each initial validator of an L1. */
export function conversionRows(tx: Tx<'ConvertSubnetToL1Tx'>, source: TransactionSource): PValidation[] {
  const { hrp } = source.context
  return tx.validators.map((validator, position) => {
    const row = validationRow(source, tx.type, 'add', position)
    row.subnet_id = idText(tx.subnetID)
    row.node_id = nodeIdText(validator.nodeID)
    row.validation_id = idText(convertedValidationId(tx.subnetID, position))
    row.start_time = source.place.block_time
    row.weight = validator.weight
    row.bls_public_key = hexText(validator.signer.publicKey)
    row.proof_of_possession = validator.signer.proofOfPossession
    row.balance = validator.balance
    setOwner(row, 'remaining_balance_owner', validator.remainingBalanceOwner, hrp)
    setOwner(row, 'deactivation_owner', validator.deactivationOwner, hrp)
    return row
  })
}

/** Returns the row of a validator that a signed message of the L1 registers. */
export function registrationRow(tx: Tx<'RegisterL1ValidatorTx'>, source: TransactionSource): PValidation {
  const { payload, value } = l1Call(tx.message, 'warp.RegisterL1Validator', source)
  const { hrp } = source.context
  const row = validationRow(source, tx.type, 'add')
  row.subnet_id = idText(value.subnetID)
  row.node_id = nodeIdText(value.nodeID)
  row.validation_id = idText(sha256(payload))
  row.start_time = source.place.block_time
  row.weight = value.weight
  row.bls_public_key = hexText(value.blsPublicKey)
  row.proof_of_possession = tx.proofOfPossession
  row.balance = tx.balance
  row.expiry = value.expiry
  setOwner(row, 'remaining_balance_owner', value.remainingBalanceOwner, hrp)
  setOwner(row, 'deactivation_owner', value.disableOwner, hrp)
  return row
}

export function weightRow(tx: Tx<'SetL1ValidatorWeightTx'>, source: TransactionSource): PValidation {
  const { value } = l1Call(tx.message, 'warp.L1ValidatorWeight', source)
  const row = validationRow(source, tx.type, 'set_weight')
  row.validation_id = idText(value.validationID)
  row.weight = value.weight
  row.nonce = value.nonce
  return row
}

export function balanceRow(tx: Tx<'IncreaseL1ValidatorBalanceTx'>, source: TransactionSource): PValidation {
  const row = validationRow(source, tx.type, 'add_balance')
  row.validation_id = idText(tx.validationID)
  row.balance = tx.balance
  return row
}

export function disablingRow(tx: Tx<'DisableL1ValidatorTx'>, source: TransactionSource): PValidation {
  const row = validationRow(source, tx.type, 'disable')
  row.validation_id = idText(tx.validationID)
  return row
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
