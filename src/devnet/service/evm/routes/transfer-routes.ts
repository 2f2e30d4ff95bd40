import type { Dialect } from '../../../index/methods.ts'
import { integer, listRoute, type Rows, type ServiceRoute, totalsOf } from '../../plumbing/index.ts'
import type { ServiceSettings } from '../../plumbing/settings.ts'
import { createTextStore, type TextStore } from '../items/text-store.ts'
import { transferItem } from '../items/transfer.ts'
import { createTransferTexts } from '../items/transfer-text.ts'
import { sliceOf } from '../slices.ts'
import type { EvmLedger, EvmState, EvmTransfer, Standard } from '../state.ts'

const pageSize = { default: 10, most: 100 }
const parameters = { startBlock: integer({ least: 0 }), endBlock: integer({ least: 0 }) }

type Range = { readonly startBlock: number | undefined; readonly endBlock: number | undefined }

/** Transfers of a wallet and of a token (specification 000, 4.4), newest first. */
export function transferRoutes(ledger: EvmLedger): ServiceRoute[] {
  const stores: Stores = {
    spec: createTextStore(createTransferTexts('spec')),
    node: createTextStore(createTransferTexts('node')),
  }
  return [
    listRoute({
      path: '/v1/chains/{chainId}/addresses/{address}/transactions:listErc20',
      parameters,
      pageSize,
      cost: 'medium',
      handle: async ({ parts: { address }, query, settings }) => {
        const state = await ledger.atHead()
        return {
          items: 'transactions',
          rows: rowsOf(state, state.transfersWith(address, 'ERC-20'), query, settings, stores),
        }
      },
    }),
    listRoute({
      path: '/v1/chains/{chainId}/tokens/{address}/transfers',
      parameters,
      pageSize,
      cost: 'medium',
      totals: async () => {
        const { transfers } = await ledger.atHead()
        const of = (standard: Standard) => transfers.filter(({ token }) => token.standard === standard)
        const amount = ({ value }: EvmTransfer) => value
        return {
          rest_erc20_transfers: totalsOf(of('ERC-20'), { amount }),
          rest_erc721_transfers: totalsOf(of('ERC-721')),
          rest_erc1155_transfers: totalsOf(of('ERC-1155'), { amount }),
        }
      },
      handle: async ({ parts: { address }, query, settings }) => {
        const state = await ledger.atHead()
        return { items: 'transfers', rows: rowsOf(state, state.transfersOf(address), query, settings, stores) }
      },
    }),
  ]
}

/** Texts of ERC-20 transfers by dialect. */
type Stores = Readonly<Record<Dialect, TextStore>>

function rowsOf(
  state: EvmState,
  transfers: readonly EvmTransfer[],
  { startBlock, endBlock }: Range,
  { dialect }: ServiceSettings,
  stores: Stores,
): Rows {
  const { from, to } = sliceOf(transfers, startBlock, endBlock)
  const rows: Rows = {
    count: to - from,
    at: (index) => transferItem(transfers[to - 1 - index]!, state, dialect),
  }
  if (transfers[0]?.token.standard !== 'ERC-20') return rows
  return { ...rows, texts: (first, end) => stores[dialect].newestFirst(transfers, to - end, to - first) }
}
