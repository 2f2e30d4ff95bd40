import { tokenContracts } from '../../c/contracts.ts'
import { poolSample } from '../../node/evm/pool-methods.ts'
import type { EvmState } from '../evm/state.ts'
import type { Totals } from '../plumbing/totals.ts'

/** Accounts that the jobs of `examples/devnet.yaml` name: the first ones of the chain. */
const accounts = 10
const holders = 5
/** Contracts and pairs of owners and spenders whose allowances are read. */
const approvedContracts = 2
const approvals = 10
/** The most blocks of a list. */
const listed = 10

/** Totals of the tables of the state of the C-Chain, as `examples/devnet.yaml` reads it: at every n-th block, or at listed blocks. */
export function stateTotals(state: EvmState): Totals {
  const { blocks, transactions, transfers } = state
  const every = (step: number) => Array.from({ length: Math.floor(blocks.length / step) + 1 }, (_, at) => at * step)
  const lists = every(100).slice(0, listed).length
  const called = firstOf(
    transactions.map(({ to, block }) => [to, block.number]),
    accounts,
  )
  const senders = firstOf(
    transactions.map(({ from, block }) => [from, block.number]),
    accounts,
  )
  const owners = firstOf(
    transfers.map(({ to, block }) => [to, block.number]),
    holders,
  )
  const balances = called.flatMap((address) => every(50).map((number) => state.nativeBalance(address, number)))
  const contracts = tokenContracts.length
  const grants = state.results
    .flat()
    .flatMap(({ called }) =>
      (called?.logs ?? []).flatMap(({ approval }) =>
        approval === null ? [] : [{ contract: called!.token.address, pair: approval.owner + approval.spender }],
      ),
    )
  const distinct = (of: (grant: (typeof grants)[number]) => string): number => new Set(grants.map(of)).size
  const allowances =
    Math.min(
      approvedContracts,
      distinct(({ contract }) => contract),
    ) *
    Math.min(
      approvals,
      distinct(({ pair }) => pair),
    )
  return {
    evm_balances: { rows: balances.length, sums: { balance: balances.reduce((sum, each) => sum + each, 0n) } },
    evm_nonces: rows(senders.length * lists),
    evm_codes: rows(contracts * lists),
    evm_storage: rows(contracts * every(50).length),
    // The supply of each token, what each owner holds of it, and allowances.
    evm_calls: rows(contracts * (1 + owners.length) * every(100).length + allowances * lists),
    evm_tokens: rows(new Set(transfers.map(({ token }) => token.address)).size),
    // Each sender has a pending and a queued transaction.
    node_txpool: rows(2 * new Set(transactions.slice(-poolSample).map(({ from }) => from)).size),
  }
}

/** The addresses that occur first; those of one block in their own order. */
function firstOf(occurrences: readonly (readonly [string | null, number])[], most: number): string[] {
  const first = new Map<string, number>()
  for (const [address, number] of occurrences) if (address !== null && !first.has(address)) first.set(address, number)
  const order = (a: readonly [string, number], b: readonly [string, number]) => a[1] - b[1] || (a[0] < b[0] ? -1 : 1)
  return [...first]
    .sort(order)
    .slice(0, most)
    .map(([address]) => address)
}

function rows(count: number) {
  return { rows: count, sums: {} }
}
