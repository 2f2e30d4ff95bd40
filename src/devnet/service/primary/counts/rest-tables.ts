import type { Dialect } from '../../../index/methods.ts'
import type { ChainAlias } from '../../../network/shared-memory.ts'
import type { PrimaryState } from '../ledger/ledger.ts'
import type { Amount, CTransaction, ProposedBlock, PTransaction, Utxo, XTransaction } from '../ledger/model.ts'
import { estimatedReward } from '../ledger/p-stakes.ts'
import { createTally, type TableTotals } from '../ledger/tally.ts'
import { pAmounts } from '../shapes/p-transaction.ts'
import { movedBy, specAmounts } from '../shapes/xc-amounts.ts'

/** Tables of the primary network routes and their amount columns; `a.b` is the field `b` of the list `a`. */
const tables = {
  rest_p_transactions: [
    'amounts.amount',
    'amount_burned.amount',
    'amount_staked.amount',
    'amount_l1_validator_balance_burned.amount',
    'estimated_reward',
    'l1_validator_details.remaining_balance',
    'l1_validator_details.balance_change',
    'consumed_utxos.amount',
    'emitted_utxos.amount',
  ],
  rest_x_transactions: [
    'amount_unlocked.amount',
    'amount_created.amount',
    'amounts.amount',
    'amount_burned.amount',
    'consumed_utxos.amount',
    'emitted_utxos.amount',
  ],
  rest_c_atomic_transactions: [
    'amount_unlocked.amount',
    'amount_created.amount',
    'amounts.amount',
    'amount_burned.amount',
    'evm_inputs.amount',
    'evm_outputs.amount',
    'consumed_utxos.amount',
    'emitted_utxos.amount',
  ],
  rest_utxos: ['amount'],
  rest_rewards: ['amount', 'staked_amount'],
  rest_x_vertices: [],
  rest_node_blocks: ['l1_validators_accrued_fees', 'current_supply'],
} as const satisfies Record<string, readonly string[]>
export type RestTable = keyof typeof tables

/**
 * Expected totals of an export of everything: transactions without filters, UTXOs (including spent ones) of all addresses on the P-Chain,
 * X-Chain and C-Chain, rewards of all addresses in one currency, blocks of all nodes on the P-Chain and the X-Chain. They are computed from
 * the ledger, without requests.
 */
export function restTotals(state: PrimaryState, dialect: Dialect): Readonly<Record<RestTable, TableTotals>> {
  const tally = createTally(tables)
  for (const tx of state.p) tally.add('rest_p_transactions', pSums(tx))
  for (const tx of state.x) tally.add('rest_x_transactions', xSums(tx, dialect))
  for (const tx of state.c) tally.add('rest_c_atomic_transactions', cSums(tx, dialect))
  for (const utxo of state.book.utxos) for (const _ of chainsOf(utxo)) tally.add('rest_utxos', { amount: utxo.amount })
  for (const { utxo, stake } of state.rewards)
    tally.add('rest_rewards', { amount: utxo.amount, staked_amount: stake.amount })
  for (const _ of state.vertices) tally.add('rest_x_vertices')
  for (const block of state.proposed) tally.add('rest_node_blocks', blockSums(block))
  return Object.fromEntries(tally.tables) as Record<RestTable, TableTotals>
}

/** The chains that list a UTXO: the chain where it was created and the chain where it can be spent. */
export function chainsOf({ createdOn, livesOn }: Utxo): readonly ChainAlias[] {
  return createdOn === livesOn ? [createdOn] : [createdOn, livesOn]
}

type Sums = Record<string, bigint>

function sum(amounts: readonly Pick<Amount, 'amount'>[]): bigint {
  return amounts.reduce((total, { amount }) => total + amount, 0n)
}

function pSums(tx: PTransaction): Sums {
  const { value, burned, staked, l1Balance } = pAmounts(tx)
  const l1 = tx.details.l1Validators ?? []
  const begins = tx.stake !== null && tx.stake.tx === tx
  return {
    'amounts.amount': sum(value),
    'amount_burned.amount': sum(burned),
    'amount_staked.amount': sum(staked),
    'amount_l1_validator_balance_burned.amount': sum(l1Balance),
    estimated_reward: begins ? estimatedReward(tx.stake!) : 0n,
    'l1_validator_details.remaining_balance': l1.reduce((total, { remainingBalance }) => total + remainingBalance, 0n),
    'l1_validator_details.balance_change': l1.reduce((total, { balanceChange }) => total + balanceChange, 0n),
    'consumed_utxos.amount': sum(tx.consumed),
    'emitted_utxos.amount': sum(tx.emitted),
  }
}

function xSums(tx: XTransaction | CTransaction, dialect: Dialect): Sums {
  return {
    ...movedSums(tx, dialect),
    'consumed_utxos.amount': sum(tx.consumed),
    'emitted_utxos.amount': sum(tx.emitted),
  }
}

/** Only the real service shows the amounts that EVM accounts give and receive. */
function cSums(tx: CTransaction, dialect: Dialect): Sums {
  const evm = dialect === 'node' ? sum(tx.evm) : 0n
  return { ...xSums(tx, dialect), [tx.type === 'ImportTx' ? 'evm_outputs.amount' : 'evm_inputs.amount']: evm }
}

/** The two dialects name the amounts of X-Chain and C-Chain transactions differently. */
function movedSums(tx: XTransaction | CTransaction, dialect: Dialect): Sums {
  if (dialect === 'spec') {
    const { value, burned } = specAmounts(tx)
    return { 'amounts.amount': sum(value), 'amount_burned.amount': sum(burned) }
  }
  const { unlocked, created } = movedBy(tx)
  return { 'amount_unlocked.amount': sum(unlocked), 'amount_created.amount': sum(created) }
}

function blockSums({ state }: ProposedBlock): Sums {
  return state === null ? {} : { l1_validators_accrued_fees: state.l1Fees, current_supply: state.supply }
}
