import { cAtomicInputs } from '../../../schemas/c-atomic-inputs.ts'
import { cAtomicOutputs } from '../../../schemas/c-atomic-outputs.ts'
import { cAtomicTransactions } from '../../../schemas/c-atomic-transactions.ts'
import { pBlocks } from '../../../schemas/p-blocks.ts'
import { pInputs } from '../../../schemas/p-inputs.ts'
import { pOutputs } from '../../../schemas/p-outputs.ts'
import { pStateOutputs } from '../../../schemas/p-state-outputs.ts'
import { pTransactions } from '../../../schemas/p-transactions.ts'
import { pUtxoSpans } from '../../../schemas/views/p-utxo-spans.ts'
import { xUtxoSpans } from '../../../schemas/views/x-utxo-spans.ts'
import { xBlocks } from '../../../schemas/x-blocks.ts'
import { xInputs } from '../../../schemas/x-inputs.ts'
import { xOutputs } from '../../../schemas/x-outputs.ts'
import { xStateOutputs } from '../../../schemas/x-state-outputs.ts'
import { xTransactions } from '../../../schemas/x-transactions.ts'
import type { Table } from '../../define/index.ts'

/** A chain with transactions that create and spend UTXOs. */
export type Ledger = {
  readonly transactions: Table
  readonly outputs: Table
  readonly inputs: Table
  /** What its nodes can list; null if the chain has no UTXOs of its own. */
  readonly state: LedgerState | null
  /** Columns that name the chain. */
  readonly chain: readonly string[]
  /** Whether inputs spend outputs of the same chain, besides what they import. */
  readonly spends: boolean
  /** Types of transactions to which the node later adds outputs, with indexes after their own. */
  readonly madeLater: readonly string[]
}

/** State of the nodes of a ledger that is in no container, and how to query it. */
export type LedgerState = {
  /** Blocks by height. */
  readonly blocks: Table
  /** Outputs that are in no container. */
  readonly outputs: Table
  /** The view with the heights at which each UTXO was created and spent. */
  readonly spans: string
  readonly namespace: 'platform' | 'xvm'
}

/** All chains with UTXOs. */
export const ledgers: readonly Ledger[] = [
  {
    transactions: pTransactions,
    outputs: pOutputs,
    inputs: pInputs,
    state: { blocks: pBlocks, outputs: pStateOutputs, spans: pUtxoSpans.name, namespace: 'platform' },
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
      // Refunded balances of L1 validators. SetL1ValidatorWeightTx ends a validation with a weight of 0.
      'DisableL1ValidatorTx',
      'SetL1ValidatorWeightTx',
    ],
  },
  {
    transactions: xTransactions,
    outputs: xOutputs,
    inputs: xInputs,
    state: { blocks: xBlocks, outputs: xStateOutputs, spans: xUtxoSpans.name, namespace: 'xvm' },
    chain: ['network', 'blockchain_id'],
    spends: true,
    madeLater: [],
  },
  {
    transactions: cAtomicTransactions,
    outputs: cAtomicOutputs,
    inputs: cAtomicInputs,
    state: null,
    chain: ['network', 'blockchain_id'],
    spends: false,
    madeLater: [],
  },
]
