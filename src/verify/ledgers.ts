import { cAtomicInputs } from '../../schemas/c-atomic-inputs.ts'
import { cAtomicOutputs } from '../../schemas/c-atomic-outputs.ts'
import { cAtomicTransactions } from '../../schemas/c-atomic-transactions.ts'
import { pInputs } from '../../schemas/p-inputs.ts'
import { pOutputs } from '../../schemas/p-outputs.ts'
import { pTransactions } from '../../schemas/p-transactions.ts'
import { xInputs } from '../../schemas/x-inputs.ts'
import { xOutputs } from '../../schemas/x-outputs.ts'
import { xTransactions } from '../../schemas/x-transactions.ts'
import type { Table } from '../define/index.ts'

/** A chain whose transactions make and spend UTXOs. */
export type Ledger = {
  readonly transactions: Table
  readonly outputs: Table
  readonly inputs: Table
  /** Columns that name the chain. */
  readonly chain: readonly string[]
  /** Whether inputs spend outputs of the same chain, besides what they import. */
  readonly spends: boolean
  /** Types of transactions for which the node makes outputs later, behind those that they have. */
  readonly madeLater: readonly string[]
}

/** Every chain with UTXOs, declared once. */
export const ledgers: readonly Ledger[] = [
  {
    transactions: pTransactions,
    outputs: pOutputs,
    inputs: pInputs,
    chain: ['network'],
    spends: true,
    madeLater: [
      // Rewards of stakes.
      'AddValidatorTx',
      'AddDelegatorTx',
      'AddPermissionlessValidatorTx',
      'AddPermissionlessDelegatorTx',
      'AddAutoRenewedValidatorTx',
      'RewardAutoRenewedValidatorTx',
      // Refunded balances of L1 validators: the second ends them with a weight of 0.
      'DisableL1ValidatorTx',
      'SetL1ValidatorWeightTx',
    ],
  },
  {
    transactions: xTransactions,
    outputs: xOutputs,
    inputs: xInputs,
    chain: ['network', 'blockchain_id'],
    spends: true,
    madeLater: [],
  },
  {
    transactions: cAtomicTransactions,
    outputs: cAtomicOutputs,
    inputs: cAtomicInputs,
    chain: ['network', 'blockchain_id'],
    spends: false,
    madeLater: [],
  },
]
