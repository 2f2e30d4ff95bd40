import type { Dialect } from '../../../index/methods.ts'
import { type Totals, totalsOf } from '../../plumbing/totals.ts'
import type { PrimaryState } from '../ledger/ledger.ts'
import type { Amount, CTransaction, LedgerTx, XTransaction } from '../ledger/model.ts'
import { estimatedReward } from '../ledger/p-stakes.ts'
import { pAmounts } from '../shapes/p-transaction.ts'
import { movedBy, specAmounts } from '../shapes/xc-amounts.ts'

/** Totals of transactions without filters, computed from the ledger; `a.b` is the field `b` of the list `a`. */
export function transactionTotals(state: PrimaryState, dialect: Dialect): Totals {
  return { ...pTotals(state), ...xTotals(state, dialect), ...cTotals(state, dialect) }
}

function pTotals({ p }: PrimaryState): Totals {
  const rows = p.map((tx) => ({
    ...tx,
    ...pAmounts(tx),
    l1: tx.details.l1Validators ?? [],
    begins: tx.stake?.tx === tx,
  }))
  return {
    rest_p_transactions: totalsOf(rows, {
      'amounts.amount': ({ value }) => sum(value),
      'amount_burned.amount': ({ burned }) => sum(burned),
      'amount_staked.amount': ({ staked }) => sum(staked),
      'amount_l1_validator_balance_burned.amount': ({ l1Balance }) => sum(l1Balance),
      estimated_reward: ({ stake, begins }) => (begins ? estimatedReward(stake!) : null),
      'l1_validator_details.remaining_balance': ({ l1 }) => sum(l1.map(({ remainingBalance: amount }) => ({ amount }))),
      'l1_validator_details.balance_change': ({ l1 }) => sum(l1.map(({ balanceChange: amount }) => ({ amount }))),
      ...utxoAmounts,
    }),
  }
}

function xTotals({ x }: PrimaryState, dialect: Dialect): Totals {
  return {
    rest_x_transactions: totalsOf(
      x.map((tx) => moved(tx, dialect)),
      movedAmounts,
    ),
  }
}

/** Only the real service shows the amounts that EVM accounts give and receive. */
function cTotals({ c }: PrimaryState, dialect: Dialect): Totals {
  const rows = c.map((tx) => ({ ...moved(tx, dialect), type: tx.type, evm: dialect === 'node' ? tx.evm : [] }))
  return {
    rest_c_atomic_transactions: totalsOf(rows, {
      ...movedAmounts,
      'evm_outputs.amount': ({ type, evm }) => (type === 'ImportTx' ? sum(evm) : null),
      'evm_inputs.amount': ({ type, evm }) => (type === 'ImportTx' ? null : sum(evm)),
    }),
  }
}

/** The two dialects name the amounts of X-Chain and C-Chain transactions differently. */
function moved(tx: XTransaction | CTransaction, dialect: Dialect) {
  const { consumed, emitted } = tx
  if (dialect === 'spec') return { consumed, emitted, unlocked: [], created: [], ...specAmounts(tx) }
  return { consumed, emitted, value: [], burned: [], ...movedBy(tx) }
}

const utxoAmounts = {
  'consumed_utxos.amount': ({ consumed }: Pick<LedgerTx, 'consumed'>) => sum(consumed),
  'emitted_utxos.amount': ({ emitted }: Pick<LedgerTx, 'emitted'>) => sum(emitted),
}

const movedAmounts = {
  'amount_unlocked.amount': ({ unlocked }: ReturnType<typeof moved>) => sum(unlocked),
  'amount_created.amount': ({ created }: ReturnType<typeof moved>) => sum(created),
  'amounts.amount': ({ value }: ReturnType<typeof moved>) => sum(value),
  'amount_burned.amount': ({ burned }: ReturnType<typeof moved>) => sum(burned),
  ...utxoAmounts,
}

function sum(amounts: readonly Pick<Amount, 'amount'>[]): bigint {
  return amounts.reduce((total, { amount }) => total + amount, 0n)
}
