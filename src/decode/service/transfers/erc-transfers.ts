import type { restErc20Transfers } from '../../../../schemas/rest-erc20-transfers.ts'
import type { restErc721Transfers } from '../../../../schemas/rest-erc721-transfers.ts'
import type { restErc1155Transfers } from '../../../../schemas/rest-erc1155-transfers.ts'
import type { Page, PageItem, ReadingContext, RowsOf } from '../../../define/index.ts'
import { answerObject, finish, nextPageToken, objects, type Reading, raw } from '../../json/fields.ts'
import { seconds } from '../../json/number-fields.ts'
import { type Positions, positionsOf } from '../../json/positions.ts'
import { type EvmPlace, otherStandard, type TokenStandard } from '../../json/token-fields.ts'
import type { KeyedRow } from './erc-transfer-event.ts'
import { erc20Row } from './erc20-transfer.ts'
import { erc721Row } from './erc721-transfer.ts'
import { erc1155Row } from './erc1155-transfer.ts'

type TokenTables = {
  erc20Transfers: typeof restErc20Transfers
  erc721Transfers: typeof restErc721Transfers
  erc1155Transfers: typeof restErc1155Transfers
}
type TransferRows = RowsOf<TokenTables>

/** Reads a page of `transactions:listErc20` (specification 4.4). Throws `DecodeError` for transfers of another standard. */
export const decodeWalletTransfers = walletList('erc20Transfers', erc20Row)

/** Reads a page of `transactions:listErc721`. Throws `DecodeError` for transfers of another standard. */
export const decodeWalletErc721Transfers = walletList('erc721Transfers', erc721Row)

/** Reads a page of `transactions:listErc1155`. Throws `DecodeError` for transfers of another standard. */
export const decodeWalletErc1155Transfers = walletList('erc1155Transfers', erc1155Row)

function walletList<N extends keyof TokenTables, R>(
  name: N,
  rowOf: (item: Reading, place: EvmPlace, positions: Positions) => KeyedRow<R>,
) {
  return (place: EvmPlace) =>
    (answer: unknown, context: ReadingContext): Page<Pick<TokenTables, N>> => {
      const rows: R[] = []
      const at = answerObject(answer, 'answer', context)
      const positions = positionsOf(context)
      const items = objects(at, 'transactions', (item) => {
        const { row, key } = rowOf(item, place, positions)
        rows.push(row)
        return { key, time: seconds(item, 'blockTimestamp') }
      })
      const next = nextPageToken(at)
      finish(at)
      return { rows: { [name]: rows } as unknown as RowsOf<Pick<TokenTables, N>>, items, next }
    }
}

/**
 * Reads a page of `tokens/{address}/transfers` (specification 4.4): ERC-20, ERC-721 and ERC-1155 by the token object of each item. Throws
 * `DecodeError` for another standard.
 */
export function decodeTokenTransfers(place: EvmPlace) {
  return (answer: unknown, context: ReadingContext): Page<TokenTables> => {
    const rows: TransferRows = { erc20Transfers: [], erc721Transfers: [], erc1155Transfers: [] }
    const at = answerObject(answer, 'answer', context)
    const positions = positionsOf(context)
    const items = objects(at, 'transfers', (item) => unionItem(item, place, positions, rows))
    const next = nextPageToken(at)
    finish(at)
    return { rows, items, next }
  }
}

function unionItem(item: Reading, place: EvmPlace, positions: Positions, rows: TransferRows): PageItem {
  const time = seconds(item, 'blockTimestamp')
  switch (standardOf(item)) {
    case 'erc20': {
      const { row, key } = erc20Row(item, place, positions)
      rows.erc20Transfers.push(row)
      return { key, time }
    }
    case 'erc721': {
      const { row, key } = erc721Row(item, place, positions)
      rows.erc721Transfers.push(row)
      return { key, time }
    }
    case 'erc1155': {
      const { row, key } = erc1155Row(item, place, positions)
      rows.erc1155Transfers.push(row)
      return { key, time }
    }
  }
}

/** Returns the standard of an item by its token object. The reader of that object compares its `ercType`. */
function standardOf(item: Reading): TokenStandard {
  if (raw(item, 'erc20Token') !== undefined) return 'erc20'
  if (raw(item, 'erc721Token') !== undefined) return 'erc721'
  if (raw(item, 'erc1155Token') !== undefined) return 'erc1155'
  const tokens = Object.keys(item.object).filter((name) => /token/i.test(name))
  throw otherStandard(item, tokens.length === 0 ? 'it has no token' : tokens.join(', '))
}
