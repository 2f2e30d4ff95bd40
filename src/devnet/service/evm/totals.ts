import { tokenContracts } from '../../c/contracts.ts'
import type { TableTotals, Totals } from '../plumbing/totals.ts'
import { zeroAddress } from './contracts/contract.ts'
import { holdersOf } from './holders.ts'
import { type Holding, holdingsOf } from './holdings.ts'
import type { EvmState, EvmTransfer, Standard } from './state.ts'

/** Amounts from this one on are null in columns of 38 digits. */
const tooLarge = 10n ** 38n

/** Every wallet that ever had a token, sorted by address. */
export function walletsOf({ transfers }: EvmState): string[] {
  const wallets = new Set<string>()
  for (const { from, to } of transfers) {
    wallets.add(from)
    wallets.add(to)
  }
  wallets.delete(zeroAddress)
  return [...wallets].sort()
}

/**
 * Expected totals of an export of the whole chain: transfers of all contracts, balances of `walletsOf`, and holders (of any amount) of
 * every contract, as single observations at the head.
 */
export function evmTotals(state: EvmState): Totals {
  const wallets = walletsOf(state)
  const holdings = (standard: Exclude<Standard, 'ERC-20'>): Holding[] => {
    return wallets.flatMap((wallet) => holdingsOf(state, wallet, standard))
  }
  const [erc721, erc1155] = [holdings('ERC-721'), holdings('ERC-1155')]
  const balances = erc1155.map(({ amount }) => amount)
  const native = wallets.map((wallet) => state.nativeBalance(wallet, state.blocks.length))
  const holders = tokenContracts.flatMap(({ address }) => holdersOf(state.transfersOf(address), 0n, () => 'in'))
  return {
    rest_evm_blocks: blockTotals(state),
    rest_erc20_transfers: transferTotals(state.transfers, 'ERC-20'),
    rest_erc721_transfers: { rows: transferTotals(state.transfers, 'ERC-721').rows, sums: {} },
    rest_erc1155_transfers: transferTotals(state.transfers, 'ERC-1155'),
    rest_native_balances: { rows: wallets.length, sums: { balance: sumOf(native) } },
    rest_erc721_balances: { rows: erc721.length, sums: {} },
    rest_erc1155_balances: { rows: balances.length, sums: { balance: sumOf(balances) } },
    rest_collectible_balances: { rows: erc721.length + balances.length, sums: { balance: sumOf(balances) } },
    metrics_token_holders: { rows: holders.length, sums: { balance: sumOf(holders.map(({ balance }) => balance)) } },
  }
}

function blockTotals({ blocks }: EvmState): TableTotals {
  const sum = (read: (block: EvmState['blocks'][number]) => bigint): bigint => sumOf(blocks.map(read))
  return {
    rows: blocks.length,
    sums: {
      transaction_count: sum(({ txCount }) => BigInt(txCount)),
      gas_used: sum(({ gasUsed }) => gasUsed),
      gas_limit: sum(({ gasLimit }) => gasLimit),
      base_fee_per_gas: sum(({ baseFee }) => baseFee),
      block_gas_cost: sum(({ gasCost }) => gasCost),
      fees_spent: sum(({ feesSpent }) => feesSpent),
    },
  }
}

function transferTotals(transfers: readonly EvmTransfer[], standard: Standard): TableTotals {
  const amounts = transfers.flatMap(({ token, value }) => (token.standard === standard ? [value] : []))
  return { rows: amounts.length, sums: { amount: sumOf(amounts) } }
}

/** Sum of the amounts that a column of 38 digits can hold. */
function sumOf(amounts: readonly bigint[]): bigint {
  return amounts.reduce((sum, amount) => (amount < tooLarge ? sum + amount : sum), 0n)
}
