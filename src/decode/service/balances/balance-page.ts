import type { restCollectibleBalances } from '../../../../schemas/rest-collectible-balances.ts'
import type { restErc20Balances } from '../../../../schemas/rest-erc20-balances.ts'
import type { restErc721Balances } from '../../../../schemas/rest-erc721-balances.ts'
import type { restErc1155Balances } from '../../../../schemas/rest-erc1155-balances.ts'
import type { restNativeBalances } from '../../../../schemas/rest-native-balances.ts'
import type { Page, RowsOf } from '../../../define/index.ts'

/** The tables of a job for balances, whatever lists it reads. */
export type BalanceTables = {
  erc20Balances: typeof restErc20Balances
  erc1155Balances: typeof restErc1155Balances
  erc721Balances: typeof restErc721Balances
  collectibleBalances: typeof restCollectibleBalances
  nativeBalances: typeof restNativeBalances
}

const none: RowsOf<BalanceTables> = {
  erc20Balances: [],
  erc1155Balances: [],
  erc721Balances: [],
  collectibleBalances: [],
  nativeBalances: [],
}

/** A page of one list. It has no rows of the tables that other lists fill. */
export function balancePage(
  rows: Partial<RowsOf<BalanceTables>>,
  { items, next }: Pick<Page, 'items' | 'next'>,
): Page<BalanceTables> {
  return { rows: { ...none, ...rows }, items, next }
}
