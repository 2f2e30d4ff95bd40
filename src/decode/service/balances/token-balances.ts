import type { RestCollectibleBalance } from '../../../../schemas/rest-collectible-balances.ts'
import type { RestErc721Balance } from '../../../../schemas/rest-erc721-balances.ts'
import type { RestErc1155Balance } from '../../../../schemas/rest-erc1155-balances.ts'
import type { Page, PageItem, ReadingContext, RowsOf } from '../../../define/index.ts'
import { answerObject, finish, nextPageToken, objects, optionalText, type Reading, text } from '../../json/fields.ts'
import { digits } from '../../json/number-fields.ts'
import { address, optionalAddress, tokenId } from '../../json/text-fields.ts'
import { checkChain, checkStandard, decimal38, metadataOf, otherStandard, standardOf } from '../../json/token-fields.ts'
import { type BalanceTables, balancePage } from './balance-page.ts'
import { nativeBalances, type Wallet } from './native-balance.ts'

/** Reads a page of `balances:listErc1155` (specification 2.8 and 4.5). Only the first page gives a row of the native balance. */
export function decodeErc1155Balances(wallet: Wallet) {
  return (answer: unknown, context: ReadingContext): Page<BalanceTables> => {
    const at = answerObject(answer, 'answer', context)
    const native = nativeBalances(at, wallet)
    const rows = objects(at, 'erc1155TokenBalances', (item) => erc1155Row(item, wallet))
    return pageOf(at, rows, { erc1155Balances: rows, nativeBalances: native })
  }
}

/** Reads a page of `balances:listErc721` (specification 2.8 and 4.5). Only the first page gives a row of the native balance. */
export function decodeErc721Balances(wallet: Wallet) {
  return (answer: unknown, context: ReadingContext): Page<BalanceTables> => {
    const at = answerObject(answer, 'answer', context)
    const native = nativeBalances(at, wallet)
    const rows = objects(at, 'erc721TokenBalances', (item) => erc721Row(item, wallet))
    return pageOf(at, rows, { erc721Balances: rows, nativeBalances: native })
  }
}

/**
 * Reads a page of `balances:listCollectibles` (specification 4.5): ERC-721 and ERC-1155 by `ercType`. Throws `DecodeError` for another
 * standard.
 */
export function decodeCollectibleBalances(wallet: Wallet) {
  return (answer: unknown, context: ReadingContext): Page<BalanceTables> => {
    const at = answerObject(answer, 'answer', context)
    const rows = objects(at, 'collectibleBalances', (item) => collectibleRow(item, wallet))
    return pageOf(at, rows, { collectibleBalances: rows })
  }
}

function pageOf(at: Reading, listed: readonly Held[], rows: Partial<RowsOf<BalanceTables>>): Page<BalanceTables> {
  const next = nextPageToken(at)
  finish(at)
  const items: PageItem[] = listed.map(({ token_address, token_id }) => ({
    key: `${token_address}/${token_id}`,
    time: null,
  }))
  return balancePage(rows, { items, next })
}

type Held = Pick<RestErc1155Balance, 'token_address' | 'token_id'>

function erc1155Row(at: Reading, wallet: Wallet): RestErc1155Balance {
  checkStandard(at, 'erc1155')
  const balance = digits(at, 'balance')
  return {
    ...heldBy(at, wallet),
    standard: 'erc1155',
    ...collectible(at),
    balance: decimal38(balance),
    balance_raw: balance,
  }
}

function erc721Row(at: Reading, wallet: Wallet): RestErc721Balance {
  checkStandard(at, 'erc721')
  return { ...heldBy(at, wallet), standard: 'erc721', ...named(at), ...collectible(at) }
}

function collectibleRow(at: Reading, wallet: Wallet): RestCollectibleBalance {
  const stated = text(at, 'ercType')
  const standard = standardOf(stated)
  if (standard !== 'erc721' && standard !== 'erc1155') throw otherStandard(at, stated)
  const balance = standard === 'erc1155' ? digits(at, 'balance') : null
  return {
    ...heldBy(at, wallet),
    standard,
    ...named(at),
    ...collectible(at),
    balance: balance === null ? null : decimal38(balance),
    balance_raw: balance,
  }
}

function heldBy(at: Reading, wallet: Wallet) {
  checkChain(at, wallet)
  return {
    network: wallet.network,
    chain_id: wallet.chainId,
    owner: optionalAddress(at, 'ownerAddress') ?? wallet.address,
    subject: wallet.subject,
    observation_id: at.context.observationId,
    observed_at: at.context.observedAt,
    token_address: address(at, 'address'),
  }
}

function named(at: Reading) {
  return { token_name: optionalText(at, 'name'), token_symbol: optionalText(at, 'symbol') }
}

function collectible(at: Reading) {
  return { token_id: tokenId(at, 'tokenId'), token_uri: optionalText(at, 'tokenUri'), metadata: metadataOf(at) }
}
