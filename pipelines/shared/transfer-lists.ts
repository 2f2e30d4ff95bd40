import type { Reading } from '../../src/decode/json/fields.ts'
import { type Positions, positionsOf } from '../../src/decode/json/positions.ts'
import { blockTime, checkStandard, otherStandard, type TokenStandard } from '../../src/decode/json/token-fields.ts'
import { seconds } from '../../src/decode/json/value-fields.ts'
import { listReader } from '../../src/decode/list-reader.ts'
import type { Tables } from '../../src/define/index.ts'

/** The time of the block of an item, in Unix seconds. */
function blockSeconds(_: unknown, item: Reading): number {
  const stated = item.object['blockTimestamp']
  return typeof stated === 'number' ? stated : seconds(item, 'blockTimestamp')
}

/** What lists of an EVM chain have in common: times of blocks, and positions of rows that the service does not number. */
export const eventList = {
  readers: { block_time: blockTime },
  ofAnswer: ({ context }: Reading) => ({ given: { positions: positionsOf(context) } }),
  time: blockSeconds,
} as const

type Transfer = {
  readonly block_number: number
  readonly log_index: number | null
  readonly transaction_hash: string
  readonly token_address: string
  readonly token_id?: string
  readonly amount_raw?: string
  readonly from_address: string
  readonly to_address: string
  position: number | null
  standard: string
}

/**
 * A list of transfers of tokens (specification 4.4). `standard` is that of all its items; null: each item has the standard of its token.
 * Throws `DecodeError` for another standard.
 */
export function transferList<T extends Tables>(
  items: string,
  tables: T,
  standard: TokenStandard | null,
  tableOf?: (standard: TokenStandard) => keyof T & string,
) {
  return listReader<T>({
    ...eventList,
    tables,
    items,
    ignore: ['erc20Token.ercType', 'erc721Token.ercType', 'erc1155Token.ercType'],
    ...(tableOf === undefined ? {} : { tableOf: (item) => tableOf(standardOfItem(item)) }),
    complete(row: Transfer, item, { positions }) {
      row.standard = standard ?? standardOfItem(item)
      checkStandard(item, `${row.standard}Token`, row.standard as TokenStandard)
      if (row.log_index === null || row.standard === 'erc1155') row.position = positionOf(row, positions as Positions)
    },
    key: (row: Transfer) => (row.position === null ? groupOf(row) : `${groupOf(row)}/${row.position}`),
  })
}

/** The position among the rows of the same log, or of the same transaction if answers have no log index. */
function positionOf(row: Transfer, positions: Positions): number {
  const { token_address, token_id = '', amount_raw = '', from_address, to_address } = row
  return positions(groupOf(row), [token_address, token_id, amount_raw, from_address, to_address].join(' '))
}

function groupOf({ block_number, log_index, transaction_hash }: Transfer): string {
  return log_index === null ? transaction_hash : `${block_number}/${log_index}`
}

const standards = [
  ['erc20', 'erc20Token'],
  ['erc721', 'erc721Token'],
  ['erc1155', 'erc1155Token'],
] as const

/** The standard of an item by its token object. */
function standardOfItem(item: Reading): TokenStandard {
  for (const [standard, token] of standards) if ((item.object[token] ?? undefined) !== undefined) return standard
  const tokens = Object.keys(item.object).filter((name) => /token/i.test(name))
  throw otherStandard(item, tokens.length === 0 ? 'it has no token' : tokens.join(', '))
}
