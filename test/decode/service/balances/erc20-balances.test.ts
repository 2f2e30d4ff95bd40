import { describe, expect, test } from 'vitest'
import { erc20BalancesList, nativeBalanceList } from '../../../../pipelines/balances.ts'
import { restErc20Balances } from '../../../../schemas/rest-tokens.ts'
import { testContext } from '../reading.ts'

const address = `0x${'ab'.repeat(20)}`
const wallet = { network: 'mainnet', chain_id: '43114', address, subject: `43114/${address}` }
const token = {
  address: `0x${'Cd'.repeat(20)}`,
  name: 'Coin',
  symbol: 'CN',
  decimals: 6,
  ercType: 'ERC-20',
  price: { currencyCode: 'usd', value: 1 },
  chainId: '43114',
  balance: '9'.repeat(39),
  balanceValue: { currencyCode: 'usd', value: '9.6' },
  tokenReputation: 'Benign',
}
const native = { name: 'N', symbol: 'N', decimals: 18, chainId: '43114', balance: '7' }

describe('ERC-20 balances', () => {
  const decode = erc20BalancesList(wallet)

  test('are exact, and the first page has the native balance', () => {
    const context = testContext()
    const answer = { nativeTokenBalance: native, erc20TokenBalances: [token], nextPageToken: 'x' }
    const { rows, items, next } = decode(answer, context)
    expect(rows.erc20Balances).toEqual([
      {
        network: 'mainnet',
        chain_id: '43114',
        owner: address,
        subject: wallet.subject,
        observation_id: 'observation-1',
        observed_at: 1_763_700_000_000_000n,
        token_address: `0x${'cd'.repeat(20)}`,
        standard: 'erc20',
        token_name: 'Coin',
        token_symbol: 'CN',
        token_decimals: 6,
        token_logo_uri: null,
        balance: null,
        balance_raw: '9'.repeat(39),
        price_currency: 'usd',
        price: 1,
        balance_value_currency: 'usd',
        balance_value: 9.6,
        token_reputation: 'Benign',
      },
    ])
    expect(Object.keys(rows.erc20Balances[0]!).sort()).toEqual(Object.keys(restErc20Balances.columns).sort())
    expect(rows.nativeBalances).toMatchObject([{ address, balance: 7n }])
    expect([items, next]).toEqual([[{ key: `0x${'cd'.repeat(20)}`, time: null }], 'x'])
    expect(decode(answer, context).rows.nativeBalances).toEqual([])
    expect(context.unknown).toEqual([])
  })

  test('of another standard or another chain are refused', () => {
    const decoded = (item: object) => () => decode({ erc20TokenBalances: [item] }, testContext())
    expect(decoded({ ...token, ercType: 'ERC-721' })).toThrow('ERC-721')
    expect(decoded({ ...token, chainId: '1' })).toThrow('The answer is about chain 1, not 43114.')
  })
})

test('a native balance of its own route is required', () => {
  const decode = nativeBalanceList(wallet)
  expect(decode({ nativeTokenBalance: native }, testContext()).rows.nativeBalances).toMatchObject([{ balance: 7n }])
  expect(() => decode({}, testContext())).toThrow('The answer has no field nativeTokenBalance.')
  for (const list of [[], [native, native]])
    expect(() => decode({ nativeTokenBalance: list }, testContext())).toThrow('nativeTokenBalance of the answer is no')
})
