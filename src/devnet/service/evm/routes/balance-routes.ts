import { evmAddress, integer, listRoute, ServiceError, type ServiceRoute, text } from '../../plumbing/index.ts'
import type { ServiceSettings } from '../../plumbing/settings.ts'
import { type Holding, holdingsOf } from '../holdings.ts'
import { holdingItem, nativeItem } from '../items/balance.ts'
import type { EvmLedger, EvmState } from '../state.ts'

const pageSize = { default: 10, most: 500 }
const contractAddress = text(evmAddress)

/** Balances of wallets (specification 000, 4.5), by contract and id. Balances change, so all pages show those of the first page. */
export function balanceRoutes(ledger: EvmLedger): ServiceRoute[] {
  return [
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
