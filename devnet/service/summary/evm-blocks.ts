import { genesisGasLimit } from '../../node/evm/genesis-json.ts'
import { allCalls, innerCallsOf } from '../evm/inner-calls.ts'
import type { EvmState, EvmTransaction } from '../evm/state.ts'
import { touchedState } from '../evm/touched-state.ts'
import { type TableTotals, type Totals, totalsOf } from '../plumbing/totals.ts'

const firstBlock = { txCount: 0, gasUsed: 0n, gasLimit: BigInt(genesisGasLimit), baseFee: 0n }

/**
 * Totals of the tables that C-Chain RPC fills: the blocks of the ledger and the first block, the results of their transactions, and the
 * events of tokens, their calls, and what they changed. `sent`: totals of the transactions in the containers.
 */
export function evmBlockTotals(state: EvmState, sent: TableTotals): Totals {
  const { blocks, results, transfers, transactions } = state
  const every = results.flat()
  const logs = every.flatMap(({ called }) => called?.logs ?? [])
  const listed = totalsOf([firstBlock, ...blocks], {
    transaction_count: ({ txCount }) => BigInt(txCount),
    gas_used: ({ gasUsed }) => gasUsed,
    gas_limit: ({ gasLimit }) => gasLimit,
    base_fee_per_gas: ({ baseFee }) => baseFee,
  })
  const executed = totalsOf(every, {
    status: ({ succeeded }) => (succeeded ? 1n : 0n),
    gas_used: ({ gasUsed }) => BigInt(gasUsed),
    effective_gas_price: ({ price }) => price,
  })
  return {
    evm_blocks: { ...listed, sums: { ...listed.sums, log_count: BigInt(logs.length) } },
    evm_transactions: { ...executed, sums: { ...sent.sums, ...executed.sums } },
    evm_logs: totalsOf(logs),
    evm_traces: totalsOf(transactions.flatMap(tracedGas), { gas_used: (gas) => BigInt(gas) }),
    ...changeTotals(state),
    evm_token_transfers: totalsOf(transfers, { amount: ({ value }) => value }),
  }
}

/** The gas that a transaction and each of its inner calls used. */
function tracedGas(transaction: EvmTransaction): number[] {
  return [transaction.result.gasUsed, ...allCalls(innerCallsOf(transaction)).map(({ gasUsed }) => gasUsed)]
}

/** Totals of what transactions changed and read. A contract that a transaction creates itself did not exist before. */
function changeTotals(state: EvmState): Totals {
  const touched = state.blocks.flatMap(({ number }) => touchedState(state, number))
  const accounts = touched.flatMap((transaction) => transaction.accounts)
  const slots = accounts.flatMap((account) => account.slots)
  const read = touched.flatMap(({ created, accounts: all }) => all.filter(({ address }) => address !== created))
  const differs = (field: 'balance' | 'nonce') => accounts.filter(({ before, after }) => before[field] !== after[field])
  return {
    evm_balance_changes: totalsOf(differs('balance'), {
      balance_before: ({ before }) => before.balance,
      balance_after: ({ after }) => after.balance,
    }),
    evm_nonce_changes: totalsOf(differs('nonce'), { nonce_after: ({ after }) => after.nonce }),
    evm_code_changes: totalsOf(accounts.filter(({ before, after }) => before.code.length !== after.code.length)),
    evm_storage_changes: totalsOf(slots.filter(({ before, after }) => before !== after)),
    evm_state_reads: totalsOf([...read, ...slots]),
  }
}
