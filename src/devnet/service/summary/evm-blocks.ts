import { genesisGasLimit } from '../../node/evm/genesis-json.ts'
import { allCalls, innerCallsOf } from '../evm/inner-calls.ts'
import type { EvmState, EvmTransaction } from '../evm/state.ts'
import { type TableTotals, type Totals, totalsOf } from '../plumbing/totals.ts'

const firstBlock = { txCount: 0, gasUsed: 0n, gasLimit: BigInt(genesisGasLimit), baseFee: 0n }

/**
 * Totals of the tables that C-Chain RPC fills: the blocks of the ledger and the first block, the results of their transactions, and the
 * events of tokens, and their calls. `sent`: totals of the transactions in the containers.
 */
export function evmBlockTotals({ blocks, results, transfers, transactions }: EvmState, sent: TableTotals): Totals {
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
    evm_token_transfers: totalsOf(transfers, { amount: ({ value }) => value }),
  }
}

/** The gas that a transaction and each of its inner calls used. */
function tracedGas(transaction: EvmTransaction): number[] {
  return [transaction.result.gasUsed, ...allCalls(innerCallsOf(transaction)).map(({ gasUsed }) => gasUsed)]
}
