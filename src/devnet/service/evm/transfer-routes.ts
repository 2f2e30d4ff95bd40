import type { Dialect } from '../../index/methods.ts'
import { integer, listRoute, type Rows, type ServiceRoute } from '../plumbing/index.ts'
import type { ServiceSettings } from '../settings.ts'
import { transferItem } from './items/transfer.ts'
import { createTransferTexts, type TransferTexts } from './items/transfer-text.ts'
import { sliceOf } from './slices.ts'
import type { EvmLedger, EvmState, EvmTransfer } from './state.ts'

const pageSize = { default: 10, most: 100 }
const parameters = { startBlock: integer({ least: 0 }), endBlock: integer({ least: 0 }) }

type Range = { readonly startBlock: number | undefined; readonly endBlock: number | undefined }

/** Transfers of a wallet and of a token (specification 000, 4.4), newest first. */
export function transferRoutes(ledger: EvmLedger): ServiceRoute[] {
  const texts: Texts = { spec: createTransferTexts('spec'), node: createTransferTexts('node') }
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
          rows: rowsOf(state, state.transfersWith(address, 'ERC-20'), query, settings, texts),
        }
      },
    }),
    listRoute({
      path: '/v1/chains/{chainId}/tokens/{address}/transfers',
      parameters,
      pageSize,
      cost: 'medium',
      handle: async ({ parts: { address }, query, settings }) => {
        const state = await ledger.atHead()
        return { items: 'transfers', rows: rowsOf(state, state.transfersOf(address), query, settings, texts) }
      },
    }),
  ]
}

/** Texts of ERC-20 transfers by dialect. */
type Texts = Readonly<Record<Dialect, TransferTexts>>

function rowsOf(
  state: EvmState,
  transfers: readonly EvmTransfer[],
  { startBlock, endBlock }: Range,
  { dialect }: ServiceSettings,
  texts: Texts,
): Rows {
  const { from, to } = sliceOf(transfers, startBlock, endBlock)
  const transferAt = (index: number): EvmTransfer => transfers[to - 1 - index]!
  const rows: Rows = { count: to - from, at: (index) => transferItem(transferAt(index), state, dialect) }
  if (transfers[0]?.token.standard !== 'ERC-20') return rows
  return { ...rows, text: (index) => texts[dialect](transferAt(index)) }
}
