import { tokenContracts } from '../../c/contracts.ts'
import { ServiceError } from '../plumbing/error.ts'
import {
  between,
  listRoute,
  plainRoute,
  type ServiceRoute,
  type ServiceSettings,
  type Totals,
  totalsOf,
} from '../plumbing/route.ts'
import { amount, boolean, commaList, evmAddress, integer, required, text } from '../plumbing/rules.ts'
import { type Holding, holdersOf, holdingsOf, type Window, walletsOf } from './holdings.ts'
import { erc20Item, holdingItem, isSpam, nativeItem, shownAddress } from './items.ts'
import type { EvmLedger, EvmState } from './state.ts'

const pageSize = { default: 10, most: 500 }
const contractAddress = text(evmAddress)

/** Balances of wallets (specification 000, 4.5), by contract and id. Balances change, so all pages show those of the first page. */
export function balanceRoutes(ledger: EvmLedger): ServiceRoute[] {
  return [
    plainRoute({
      path: '/v1/chains/{chainId}/addresses/{address}/balances:getNative',
      parameters: { blockNumber: integer({ least: 0 }) },
      cost: 'medium',
      handle: async ({ parts: { address }, query, settings }) => {
        const state = await ledger.atHead()
        const wei = state.nativeBalance(address, blockOf(state, query.blockNumber))
        return { body: { nativeTokenBalance: nativeItem(wei, settings.dialect) } }
      },
    }),
    listRoute({
      path: '/v1/chains/{chainId}/addresses/{address}/balances:listErc20',
      parameters: {
        blockNumber: integer({ least: 0 }),
        filterSpamTokens: boolean(),
        contractAddresses: commaList(evmAddress),
      },
      pageSize,
      cost: 'medium',
      totals: async () => {
        const state = await ledger.atHead()
        const holdings = walletsOf(state).flatMap((wallet) => holdingsOf(state, wallet, 'ERC-20'))
        return { rest_erc20_balances: totalsOf(holdings, { balance: ({ amount }) => amount }) }
      },
      handle: async ({ parts: { address }, query, settings }) => {
        const state = await ledger.atHead()
        const blockNumber = blockOf(state, query.blockNumber)
        const { contractAddresses, filterSpamTokens = true } = query
        const holdings = holdingsOf(state, address, 'ERC-20', blockNumber).filter(
          ({ token }) =>
            (contractAddresses === undefined || contractAddresses.includes(token.address)) &&
            !(filterSpamTokens && isSpam(token)),
        )
        return {
          items: 'erc20TokenBalances',
          rows: holdings.map((holding) => erc20Item(holding, settings.dialect)),
          extra: { nativeTokenBalance: nativeItem(state.nativeBalance(address, blockNumber), settings.dialect) },
          pinned: true,
        }
      },
    }),
    listRoute({
      path: '/v1/chains/{chainId}/addresses/{address}/balances:listErc1155',
      parameters: { contractAddress, blockNumber: integer({ least: 0 }) },
      pageSize,
      cost: 'medium',
      handle: async ({ parts: { address }, query, settings }) => {
        const state = await ledger.atHead()
        const blockNumber = blockOf(state, query.blockNumber)
        const holdings = holdingsOf(state, address, 'ERC-1155', blockNumber)
        return {
          items: 'erc1155TokenBalances',
          rows: rowsOf(address, holdings, query.contractAddress, settings),
          extra: { nativeTokenBalance: nativeItem(state.nativeBalance(address, blockNumber), settings.dialect) },
          pinned: true,
        }
      },
    }),
    listRoute({
      path: '/v1/chains/{chainId}/addresses/{address}/balances:listErc721',
      parameters: { contractAddress },
      pageSize,
      cost: 'medium',
      handle: async ({ parts: { address }, query, settings }) => {
        const state = await ledger.atHead()
        return {
          items: 'erc721TokenBalances',
          rows: rowsOf(address, holdingsOf(state, address, 'ERC-721'), query.contractAddress, settings),
          extra: {
            nativeTokenBalance: nativeItem(state.nativeBalance(address, state.blocks.length), settings.dialect),
          },
          pinned: true,
        }
      },
    }),
    listRoute({
      path: '/v1/chains/{chainId}/addresses/{address}/balances:listCollectibles',
      parameters: { contractAddress },
      pageSize,
      cost: 'medium',
      totals: async () => balanceTotals(await ledger.atHead()),
      handle: async ({ parts: { address }, query, settings }) => {
        const state = await ledger.atHead()
        const holdings = [...holdingsOf(state, address, 'ERC-721'), ...holdingsOf(state, address, 'ERC-1155')]
        return {
          items: 'collectibleBalances',
          rows: rowsOf(address, holdings, query.contractAddress, settings),
          pinned: true,
        }
      },
    }),
  ]
}

/** Balances of every wallet, in one observation at the head. */
function balanceTotals(state: EvmState): Totals {
  const wallets = walletsOf(state)
  const [erc721, erc1155] = (['ERC-721', 'ERC-1155'] as const).map((standard) =>
    wallets.flatMap((wallet) => holdingsOf(state, wallet, standard)),
  ) as [Holding[], Holding[]]
  const balance = ({ token, amount }: Holding) => (token.standard === 'ERC-1155' ? amount : null)
  return {
    rest_native_balances: totalsOf(wallets, { balance: (wallet) => state.nativeBalance(wallet, state.blocks.length) }),
    rest_erc721_balances: totalsOf(erc721),
    rest_erc1155_balances: totalsOf(erc1155, { balance }),
    rest_collectible_balances: totalsOf([...erc721, ...erc1155], { balance }),
  }
}

function blockOf({ blocks }: EvmState, requested: number | undefined): number {
  if (requested !== undefined && requested > blocks.length)
    throw ServiceError.invalid([`blockNumber must not be greater than ${blocks.length}`])
  return requested ?? blocks.length
}

function rowsOf(
  wallet: string,
  holdings: readonly Holding[],
  contract: string | undefined,
  { dialect }: ServiceSettings,
): object[] {
  const kept = contract === undefined ? holdings : holdings.filter(({ token }) => token.address === contract)
  return kept.map((holding) => holdingItem(wallet, holding, dialect))
}

/**
 * Holders of a token in a window of time, on the metrics host (specification 000, 4.9). `sortKey` is the balance at the end of the window:
 * an integer in the specification, text in the real service.
 */
export function holderRoute(ledger: EvmLedger): ServiceRoute {
  return listRoute({
    path: '/v2/chains/{chainId}/contracts/{address}/balances',
    host: 'metrics',
    parameters: {
      threshold: required(amount()),
      startTimestamp: integer({ least: 0 }),
      endTimestamp: integer({ least: 0 }),
    },
    pageSize: { default: 1000, most: 5000 },
    cost: 'xl',
    past: true,
    // Holders of any amount of every contract.
    totals: async () => {
      const state = await ledger.atHead()
      const holders = tokenContracts.flatMap(({ address }) => holdersOf(state.transfersOf(address), 0n, () => 'in'))
      return { metrics_token_holders: totalsOf(holders, { balance: ({ balance }) => balance }) }
    },
    handle: async ({ parts: { address }, query: { threshold, startTimestamp, endTimestamp }, settings }) => {
      const state = await ledger.atHead()
      const window = windowOf(settings, startTimestamp, endTimestamp)
      const holders = holdersOf(state.transfersOf(address), threshold, window)
      const keyOf = (balance: bigint) => (settings.dialect === 'spec' ? balance : String(balance))
      return {
        items: 'addresses',
        rows: holders.map((holder) => ({ address: shownAddress(holder.address), sortKey: keyOf(holder.balance) })),
        pinned: true,
      }
    },
  })
}

function windowOf(settings: ServiceSettings, start: number | undefined, end: number | undefined): Window {
  const begun = between(settings, start, undefined)
  const open = between(settings, undefined, end)
  return (time) => (open(time) ? (begun(time) ? 'in' : 'before') : 'after')
}
