import type { RestErc20Balance } from '../../../../schemas/rest-erc20-balances.ts'
import type { Page, ReadingContext } from '../../../define/index.ts'
import { answerObject, finish, nextPageToken, objects, type Reading } from '../../json/fields.ts'
import { address, optionalWord } from '../../json/text-fields.ts'
import { checkChain, checkStandard } from '../../json/token-fields.ts'
import { type BalanceTables, balancePage } from './balance-page.ts'
import { balanceCells, nativeBalances, observedFor, type Wallet } from './native-balance.ts'

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
  return {
    ...observedFor(at, wallet),
    owner: wallet.address,
    token_address: address(at, 'address'),
    standard: 'erc20',
    ...balanceCells(at),
    token_reputation: optionalWord(at, 'tokenReputation'),
  }
}
