import type { RestNativeBalance } from '../../../../schemas/rest-native-balances.ts'
import type { Page, ReadingContext } from '../../../define/index.ts'
import { answerObject, finish, object, optionalObject, optionalText, type Reading } from '../../json/fields.ts'
import { digits, optionalCount } from '../../json/number-fields.ts'
import { checkChain, decimal38, type EvmPlace, noPrice, readPrice } from '../../json/token-fields.ts'
import { type BalanceTables, balancePage } from './balance-page.ts'

/** A wallet on a chain, and its `subject` in the table observations. */
export type Wallet = EvmPlace & { readonly address: string; readonly subject: string }

/** Reads the answer of `balances:getNative`. */
export function decodeNativeBalance(wallet: Wallet) {
  return (answer: unknown, context: ReadingContext): Page<BalanceTables> => {
    const at = answerObject(answer, 'answer', context)
    const row = object(at, 'nativeTokenBalance', (native) => nativeRow(native, wallet))
    finish(at)
    return balancePage({ nativeBalances: [row] }, { items: [{ key: wallet.address, time: null }], next: null })
  }
}

/**
 * Returns the native balance, which every page of a wallet's balances repeats (specification 2.8). Only the first page gives a row, so that
 * an observation does not mix balances of different moments.
 */
export function nativeBalances(at: Reading, wallet: Wallet): RestNativeBalance[] {
  const row = optionalObject(at, 'nativeTokenBalance', (native) => nativeRow(native, wallet))
  const { memory } = at.context
  if (row === null || memory.has('native')) return []
  memory.set('native', true)
  return [row]
}

function nativeRow(at: Reading, wallet: Wallet): RestNativeBalance {
  checkChain(at, wallet)
  return { ...observedFor(at, wallet), address: wallet.address, ...balanceCells(at) }
}

/** Where a balance belongs: the chain, and the observation of the wallet. */
export function observedFor({ context }: Reading, { network, chainId, subject }: Wallet) {
  const { observationId, observedAt } = context
  return { network, chain_id: chainId, subject, observation_id: observationId, observed_at: observedAt }
}

/** The token of a balance, the balance, and its price at the time of the answer. */
export function balanceCells(at: Reading) {
  const balance = digits(at, 'balance')
  const price = optionalObject(at, 'price', readPrice) ?? noPrice
  const value = optionalObject(at, 'balanceValue', readPrice) ?? noPrice
  return {
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
  }
}
