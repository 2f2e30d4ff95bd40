import type { UnsignedPTx } from '../../../codec/p/transactions.ts'
import type { PValidation } from '../../../schemas/p-validations.ts'
import { balanceRow, conversionRows, disablingRow, registrationRow, weightRow } from './l1-validations.ts'
import type { TransactionSource } from './place.ts'
import { autoRenewedRow, configurationRow, removalRow, stakingRow } from './stakings.ts'

/** Adds a row for each validator or delegation that a transaction changes. */
export function addValidations(tx: UnsignedPTx, source: TransactionSource, rows: PValidation[]): void {
  switch (tx.type) {
    case 'AddValidatorTx':
    case 'AddSubnetValidatorTx':
    case 'AddDelegatorTx':
    case 'AddPermissionlessValidatorTx':
    case 'AddPermissionlessDelegatorTx':
      rows.push(stakingRow(tx, source))
      return
    case 'AddAutoRenewedValidatorTx':
      rows.push(autoRenewedRow(tx, source))
      return
    case 'SetAutoRenewedValidatorConfigTx':
      rows.push(configurationRow(tx, source))
      return
    case 'RemoveSubnetValidatorTx':
      rows.push(removalRow(tx, source))
      return
    case 'ConvertSubnetToL1Tx':
      rows.push(...conversionRows(tx, source))
      return
    case 'RegisterL1ValidatorTx':
      rows.push(registrationRow(tx, source))
      return
    case 'SetL1ValidatorWeightTx':
      rows.push(weightRow(tx, source))
      return
    case 'IncreaseL1ValidatorBalanceTx':
      rows.push(balanceRow(tx, source))
      return
    case 'DisableL1ValidatorTx':
      rows.push(disablingRow(tx, source))
      return
  }
}
