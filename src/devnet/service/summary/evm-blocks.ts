import { genesisGasLimit } from '../../node/evm/genesis-json.ts'
import type { EvmState } from '../evm/state.ts'
import type { TableTotals, Totals } from '../plumbing/totals.ts'

/** Amounts from this one on are null in columns of 38 digits. */
const tooLarge = 10n ** 38n

/**
 * Totals of the tables that C-Chain RPC fills: the blocks of the ledger and the first block, the results of their transactions, and the
 * events of tokens. `sent`: totals of the transactions in the containers.
 */
export function evmBlockTotals({ blocks, results, transfers }: EvmState, sent: TableTotals): Totals {
  const every = results.flat()
  const logs = every.reduce((sum, { called }) => sum + (called?.logs.length ?? 0), 0)
  const amounts = transfers.map(({ value }) => value).filter((value) => value < tooLarge)
  return {
    evm_blocks: {
      rows: blocks.length + 1,
      sums: {
        transaction_count: sumOf(blocks.map(({ txCount }) => BigInt(txCount))),
        log_count: BigInt(logs),
        gas_used: sumOf(blocks.map(({ gasUsed }) => gasUsed)),
        gas_limit: sumOf(blocks.map(({ gasLimit }) => gasLimit)) + BigInt(genesisGasLimit),
        base_fee_per_gas: sumOf(blocks.map(({ baseFee }) => baseFee)),
      },
    },
    evm_transactions: {
      rows: every.length,
      sums: {
        ...sent.sums,
        status: BigInt(every.filter(({ succeeded }) => succeeded).length),
        gas_used: sumOf(every.map(({ gasUsed }) => BigInt(gasUsed))),
        effective_gas_price: sumOf(every.map(({ price }) => price)),
      },
    },
    evm_logs: { rows: logs, sums: {} },
    evm_token_transfers: { rows: transfers.length, sums: { amount: sumOf(amounts) } },
  }
}

function sumOf(amounts: readonly bigint[]): bigint {
  return amounts.reduce((sum, amount) => sum + amount, 0n)
}
