import type { RestErc20Transfer, restErc20Transfers } from '../../../schemas/rest-erc20-transfers.ts'
import type { RestErc721Transfer, restErc721Transfers } from '../../../schemas/rest-erc721-transfers.ts'
import type { RestErc1155Transfer, restErc1155Transfers } from '../../../schemas/rest-erc1155-transfers.ts'
import type { Page, PageItem, ReadingContext, RowsOf } from '../../define/index.ts'
import type { Slice } from '../../model.ts'
import {
  answerObject,
  count,
  digits,
  finish,
  hex,
  nextPageToken,
  object,
  objects,
  optionalCount,
  optionalHex,
  optionalObject,
  optionalText,
  pathOf,
  type Reading,
  raw,
  text,
} from './fields.ts'
import { type Positions, positionsOf } from './positions.ts'
import {
  blockTime,
  checkErcType,
  decimal38,
  type ErcType,
  type EvmPlace,
  metadataOf,
  noPrice,
  otherStandard,
  readPrice,
} from './token-fields.ts'

/** The chain and the blocks, `from` inclusive and `to` exclusive, that a list of transfers was asked for. */
export type TransferRange = EvmPlace & { readonly slice: Slice }

type WalletTables = { erc20Transfers: typeof restErc20Transfers }
type TokenTables = WalletTables & {
  erc721Transfers: typeof restErc721Transfers
  erc1155Transfers: typeof restErc1155Transfers
}
type TransferRows = RowsOf<TokenTables>

/**
 * A page of `transactions:listErc20` (specification 4.4): rows of blocks outside of the range are left out. Throws `DecodeError`
 * for transfers of another standard.
 */
export function decodeWalletTransfers(range: TransferRange) {
  return (answer: unknown, context: ReadingContext): Page<WalletTables> => {
    const erc20Transfers: RestErc20Transfer[] = []
    const at = answerObject(answer, 'answer', context)
    const positions = positionsOf(context)
    const items = objects(at, 'transactions', (item) => {
      const { row, key } = erc20Row(item, range, positions)
      if (inside(row, range.slice)) erc20Transfers.push(row)
      return { key, time: count(item, 'blockTimestamp') }
    })
    const next = nextPageToken(at)
    finish(at)
    return { rows: { erc20Transfers }, items, next }
  }
}

/**
 * A page of `tokens/{address}/transfers` (specification 4.4): ERC-20, ERC-721 and ERC-1155 by the token object that an item has.
 * Rows of blocks outside of the range are left out. Throws `DecodeError` for another standard.
 */
export function decodeTokenTransfers(range: TransferRange) {
  return (answer: unknown, context: ReadingContext): Page<TokenTables> => {
    const rows: TransferRows = { erc20Transfers: [], erc721Transfers: [], erc1155Transfers: [] }
    const at = answerObject(answer, 'answer', context)
    const positions = positionsOf(context)
    const items = objects(at, 'transfers', (item) => unionItem(item, range, positions, rows))
    const next = nextPageToken(at)
    finish(at)
    return { rows, items, next }
  }
}

function inside(row: { block_number: number | bigint }, slice: Slice): boolean {
  return row.block_number >= slice.from && row.block_number < slice.to
}

function unionItem(item: Reading, range: TransferRange, positions: Positions, rows: TransferRows): PageItem {
  const time = count(item, 'blockTimestamp')
  switch (standardOf(item)) {
    case 'ERC-20': {
      const { row, key } = erc20Row(item, range, positions)
      if (inside(row, range.slice)) rows.erc20Transfers.push(row)
      return { key, time }
    }
    case 'ERC-721': {
      const { row, key } = erc721Row(item, range, positions)
      if (inside(row, range.slice)) rows.erc721Transfers.push(row)
      return { key, time }
    }
    case 'ERC-1155': {
      const { row, key } = erc1155Row(item, range, positions)
      if (inside(row, range.slice)) rows.erc1155Transfers.push(row)
      return { key, time }
    }
  }
}

/** By the token object that the item has; the object's own `ercType` is compared with it when it is read. */
function standardOf(item: Reading): ErcType {
  if (raw(item, 'erc20Token') !== undefined) return 'ERC-20'
  if (raw(item, 'erc721Token') !== undefined) return 'ERC-721'
  if (raw(item, 'erc1155Token') !== undefined) return 'ERC-1155'
  const tokens = Object.keys(item.object).filter((name) => /token/i.test(name))
  throw otherStandard(pathOf(item), tokens.length === 0 ? 'it has no token' : tokens.join(', '))
}

type Keyed<R> = { readonly row: R; readonly key: string }

function erc20Row(item: Reading, range: TransferRange, positions: Positions): Keyed<RestErc20Transfer> {
  const place = placeOf(item, range)
  const party = partiesOf(item)
  const value = digits(item, 'value')
  const token = object(item, 'erc20Token', readErc20Token)
  const position = positionWithoutLog(place, positions, [token.token_address, '', value], party)
  return {
    key: keyOf(place, position),
    row: { ...place, position, ...party, amount: decimal38(value), amount_raw: value, ...token },
  }
}

function readErc20Token(at: Reading) {
  checkErcType(at, pathOf(at), 'ERC-20')
  const price = optionalObject(at, 'price', readPrice) ?? noPrice
  return {
    token_address: hex(at, 'address'),
    erc_type: 'ERC-20',
    token_name: optionalText(at, 'name'),
    token_symbol: optionalText(at, 'symbol'),
    token_decimals: optionalCount(at, 'decimals'),
    token_logo_uri: optionalText(at, 'logoUri'),
    currency_code: price.currency,
    price_value: price.value,
  }
}

function erc721Row(item: Reading, range: TransferRange, positions: Positions): Keyed<RestErc721Transfer> {
  const place = placeOf(item, range)
  const party = partiesOf(item)
  const token = object(item, 'erc721Token', readErc721Token)
  const position = positionWithoutLog(place, positions, [token.token_address, token.token_id, ''], party)
  return { key: keyOf(place, position), row: { ...place, position, ...party, ...token } }
}

function readErc721Token(at: Reading) {
  checkErcType(at, pathOf(at), 'ERC-721')
  return {
    token_address: hex(at, 'address'),
    erc_type: 'ERC-721',
    token_name: optionalText(at, 'name'),
    token_symbol: optionalText(at, 'symbol'),
    token_id: text(at, 'tokenId'),
    token_uri: optionalText(at, 'tokenUri'),
    metadata: metadataOf(at),
    token_owner_address: optionalHex(at, 'ownerAddress'),
  }
}

function erc1155Row(item: Reading, range: TransferRange, positions: Positions): Keyed<RestErc1155Transfer> {
  const place = placeOf(item, range)
  const party = partiesOf(item)
  const value = digits(item, 'value')
  const token = object(item, 'erc1155Token', readErc1155Token)
  const position = positions(groupOf(place), rowName([token.token_address, token.token_id, value], party))
  return {
    key: keyOf(place, position),
    row: { ...place, position, ...party, amount: decimal38(value), amount_raw: value, ...token },
  }
}

function readErc1155Token(at: Reading) {
  checkErcType(at, pathOf(at), 'ERC-1155')
  return {
    token_address: hex(at, 'address'),
    erc_type: 'ERC-1155',
    token_id: text(at, 'tokenId'),
    token_uri: optionalText(at, 'tokenUri'),
    metadata: metadataOf(at),
  }
}

type Place = Pick<RestErc20Transfer, 'network' | 'chain_id' | 'block_number' | 'log_index' | 'transaction_hash'>

function placeOf(item: Reading, { network, chainId }: TransferRange): Place {
  return {
    network,
    chain_id: chainId,
    block_number: count(item, 'blockNumber'),
    log_index: optionalCount(item, 'logIndex'),
    transaction_hash: hex(item, 'txHash'),
  }
}

function partiesOf(item: Reading) {
  const from = object(item, 'from', readParty)
  const to = object(item, 'to', readParty)
  return {
    block_time: blockTime(count(item, 'blockTimestamp'), optionalCount(item, 'blockTimestampMilliseconds')),
    block_hash: hex(item, 'blockHash'),
    from_address: from.address,
    from_name: from.name,
    from_symbol: from.symbol,
    from_decimals: from.decimals,
    from_logo_uri: from.logoUri,
    to_address: to.address,
    to_name: to.name,
    to_symbol: to.symbol,
    to_decimals: to.decimals,
    to_logo_uri: to.logoUri,
  }
}

function readParty(at: Reading) {
  return {
    address: hex(at, 'address'),
    name: optionalText(at, 'name'),
    symbol: optionalText(at, 'symbol'),
    decimals: optionalCount(at, 'decimals'),
    logoUri: optionalText(at, 'logoUri'),
  }
}

type Parties = ReturnType<typeof partiesOf>

/** Rows that no log index names are counted within their transaction. */
function positionWithoutLog(
  place: Place,
  positions: Positions,
  token: readonly string[],
  party: Parties,
): number | null {
  return place.log_index === null ? positions(groupOf(place), rowName(token, party)) : null
}

function groupOf({ block_number, log_index, transaction_hash }: Place): string {
  return log_index === null ? transaction_hash : `${block_number}/${log_index}`
}

function rowName(token: readonly string[], { from_address, to_address }: Parties): string {
  return `${token.join(' ')} ${from_address} ${to_address}`
}

function keyOf(place: Place, position: number | null): string {
  return position === null ? groupOf(place) : `${groupOf(place)}/${position}`
}
