import type { RestErc20Balance } from '../../../../schemas/rest-erc20-balances.ts'
import type { Page, ReadingContext } from '../../../define/index.ts'
import {
  answerObject,
  finish,
  nextPageToken,
  objects,
  optionalObject,
  optionalText,
  type Reading,
} from '../../json/fields.ts'
import { digits, optionalCount } from '../../json/number-fields.ts'
import { address, optionalWord } from '../../json/text-fields.ts'
import { checkChain, checkStandard, decimal38, noPrice, readPrice } from '../../json/token-fields.ts'
import { type BalanceTables, balancePage } from './balance-page.ts'
import { nativeBalances, type Wallet } from './native-balance.ts'

/** Reads a page of `balances:listErc20`. Only the first page gives a row of the native balance. */
export function decodeErc20Balances(wallet: Wallet) {
  return (answer: unknown, context: ReadingContext): Page<BalanceTables> => {
    const at = answerObject(answer, 'answer', context)
    const native = nativeBalances(at, wallet)
    const rows = objects(at, 'erc20TokenBalances', (item) => erc20Row(item, wallet))
    const next = nextPageToken(at)
    finish(at)
    const items = rows.map(({ token_address }) => ({ key: token_address, time: null }))
    return balancePage({ erc20Balances: rows, nativeBalances: native }, { items, next })
  }
}

function erc20Row(at: Reading, wallet: Wallet): RestErc20Balance {
  checkChain(at, wallet)
  checkStandard(at, 'erc20')
  const balance = digits(at, 'balance')
  const price = optionalObject(at, 'price', readPrice) ?? noPrice
  const value = optionalObject(at, 'balanceValue', readPrice) ?? noPrice
  return {
    network: wallet.network,
    chain_id: wallet.chainId,
    owner: wallet.address,
    subject: wallet.subject,
    observation_id: at.context.observationId,
    observed_at: at.context.observedAt,
    token_address: address(at, 'address'),
    standard: 'erc20',
    token_name: optionalText(at, 'name'),
    token_symbol: optionalText(at, 'symbol'),
    token_decimals: optionalCount(at, 'decimals'),
    token_logo_uri: optionalText(at, 'logoUri'),
    balance: decimal38(balance),
    balance_raw: balance,
    price_currency: price.currency,
    price: price.value,
    balance_value_currency: value.currency,
    balance_value: value.value,
    token_reputation: optionalWord(at, 'tokenReputation'),
  }
}
