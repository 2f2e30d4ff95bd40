import type { Dialect } from '../../../index/methods.ts'
import { integer, listRoute, type Rows, type ServiceRoute, totalsOf } from '../../plumbing/index.ts'
import type { ServiceSettings } from '../../plumbing/settings.ts'
import { walletsOf } from '../holdings.ts'
import { createTextStore, type TextStore } from '../items/text-store.ts'
import { receiverCallItem, transactionItem } from '../items/transaction.ts'
import { transferItem } from '../items/transfer.ts'
import { createTransferTexts } from '../items/transfer-text.ts'
import { receiverCallsOf } from '../receiver-calls.ts'
import { sliceOf } from '../slices.ts'
import type { EvmLedger, EvmState, EvmTransfer, Standard } from '../state.ts'

const pageSize = { default: 10, most: 100 }
const parameters = { startBlock: integer({ least: 0 }), endBlock: integer({ least: 0 }) }

/** The lists of a wallet's transfers, by their names in paths. */
const walletLists = { listErc20: 'ERC-20', listErc721: 'ERC-721', listErc1155: 'ERC-1155' } as const

type Range = { readonly startBlock: number | undefined; readonly endBlock: number | undefined }

/** Transfers of a wallet and of a token (specification 000, 4.4), newest first. */
export function transferRoutes(ledger: EvmLedger): ServiceRoute[] {
  const stores: Stores = {
    spec: createTextStore(createTransferTexts('spec')),
    node: createTextStore(createTransferTexts('node')),
  }
  return [
    ...Object.entries(walletLists).map(([name, standard]) =>
      listRoute({
        path: `/v1/chains/{chainId}/addresses/{address}/transactions:${name}`,
        parameters,
        pageSize,
        cost: 'medium',
        handle: async ({ parts: { address }, query, settings }) => {
          const state = await ledger.atHead()
          return {
            items: 'transactions',
            rows: rowsOf(state, state.transfersWith(address, standard), query, settings, stores),
          }
        },
      }),
    ),
    listRoute({
      path: '/v1/chains/{chainId}/addresses/{address}/transactions:listNative',
      parameters,
      pageSize,
      cost: 'medium',
      totals: async () => {
        const state = await ledger.atHead()
        const wallets = new Set(walletsOf(state))
        const sent = state.transactions.filter(({ from, to }) => wallets.has(from) || (to !== null && wallets.has(to)))
        const calls = [...wallets].flatMap((wallet) => receiverCallsOf(state, wallet))
        return {
          rest_native_transactions: totalsOf(sent, {
            amount: ({ value }) => value,
            gas_used: ({ result }) => BigInt(result.gasUsed),
          }),
          rest_internal_transactions: totalsOf(calls),
        }
      },
      handle: async ({ parts: { address }, query, settings: { dialect } }) => {
        const state = await ledger.atHead()
        return {
          items: 'transactions',
          rows: newestFirst(state.transactionsWith(address), query, (each) => transactionItem(each, dialect)),
        }
      },
    }),
    listRoute({
      path: '/v1/chains/{chainId}/addresses/{address}/transactions:listInternals',
      parameters,
      pageSize,
      cost: 'medium',
      handle: async ({ parts: { address }, query, settings: { dialect } }) => {
        const calls = receiverCallsOf(await ledger.atHead(), address)
        return { items: 'transactions', rows: newestFirst(calls, query, (each) => receiverCallItem(each, dialect)) }
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

/** The items in a range of blocks, newest first. */
function newestFirst<T extends Pick<EvmTransfer, 'block'>>(
  list: readonly T[],
  { startBlock, endBlock }: Range,
  itemOf: (each: T) => object,
): Rows {
  const { from, to } = sliceOf(list, startBlock, endBlock)
  return { count: to - from, at: (index) => itemOf(list[to - 1 - index]!) }
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
