import { describe, expect, test } from 'vitest'
import { collectibleBalancesList, erc721BalancesList, erc1155BalancesList } from '../../../../pipelines/balances.ts'
import {
  restCollectibleBalances,
  restErc721Balances,
  restErc1155Balances,
  restNativeBalances,
} from '../../../../schemas/rest-tokens.ts'
import { testContext } from '../reading.ts'

const address = `0x${'ab'.repeat(20)}`
const wallet = { network: 'mainnet', chain_id: '43114', address, subject: `43114/${address}` }
const contract = `0x${'Cd'.repeat(20)}`
const native = {
  name: 'Native',
  symbol: 'NAT',
  decimals: 18,
  chainId: '43114',
  balance: '115792089237316195423570985008687907853269984665640564039457584007913129639935',
  price: { currencyCode: 'usd', value: 9.5 },
  balanceValue: { currencyCode: 'usd', value: '19' },
}
const erc721 = {
  address: contract,
  name: 'N',
  symbol: 'S',
  ercType: 'ERC-721',
  tokenId: '5',
  tokenUri: 'ipfs://5',
  chainId: '43114',
}
const erc1155 = {
  address: contract,
  ercType: 'ERC-1155',
  tokenId: '6',
  tokenUri: 'ipfs://6',
  chainId: '43114',
  balance: '3',
}

const observed = { subject: wallet.subject, observation_id: 'observation-1', observed_at: 1_763_700_000_000_000n }

describe('balances', () => {
  test('of ERC-1155 come with the native balance of the first page', () => {
    const context = testContext()
    const decode = erc1155BalancesList(wallet)
    const first = decode({ nativeTokenBalance: native, erc1155TokenBalances: [erc1155], nextPageToken: 'x' }, context)
    expect(first.rows.erc1155Balances).toEqual([
      {
        network: 'mainnet',
        chain_id: '43114',
        owner: address,
        ...observed,
        token_address: contract.toLowerCase(),
        standard: 'erc1155',
        token_id: '6',
        token_uri: 'ipfs://6',
        metadata: null,
        balance: 3n,
        balance_raw: '3',
      },
    ])
    expect(first.rows.nativeBalances).toEqual([
      {
        network: 'mainnet',
        chain_id: '43114',
        address,
        ...observed,
        token_name: 'Native',
        token_symbol: 'NAT',
        token_decimals: 18,
        token_logo_uri: null,
        balance: null,
        balance_raw: native.balance,
        price_currency: 'usd',
        price: 9.5,
        balance_value_currency: 'usd',
        balance_value: 19,
      },
    ])
    expect(first.items).toEqual([{ key: `${contract.toLowerCase()}/6`, time: null }])
    expect(first.next).toBe('x')
    expect(Object.keys(first.rows.erc1155Balances[0]!).sort()).toEqual(Object.keys(restErc1155Balances.columns).sort())
    expect(Object.keys(first.rows.nativeBalances[0]!).sort()).toEqual(Object.keys(restNativeBalances.columns).sort())
    const second = decode({ nativeTokenBalance: { ...native, balance: '1' }, erc1155TokenBalances: [] }, context)
    expect(second.rows.nativeBalances).toEqual([])
    expect(second.next).toBeNull()
    expect(context.unknown).toEqual([])
  })

  test('of ERC-721 belong to the owner that the answer names, else to the wallet', () => {
    const decode = erc721BalancesList(wallet)
    const answer = {
      nativeTokenBalance: native,
      erc721TokenBalances: [erc721, { ...erc721, ownerAddress: `0x${'EE'.repeat(20)}` }],
    }
    const { rows } = decode(answer, testContext())
    expect(rows.erc721Balances.map(({ owner, token_id, token_name }) => [owner, token_id, token_name])).toEqual([
      [address, '5', 'N'],
      [`0x${'ee'.repeat(20)}`, '5', 'N'],
    ])
    expect(Object.keys(rows.erc721Balances[0]!).sort()).toEqual(Object.keys(restErc721Balances.columns).sort())
  })

  test('of collectibles are of ERC-721 or ERC-1155; another standard is refused', () => {
    const decode = collectibleBalancesList(wallet)
    const { rows } = decode({ collectibleBalances: [erc721, { ...erc1155, ercType: 'erc-1155' }] }, testContext())
    expect(
      rows.collectibleBalances.map(({ standard, balance, balance_raw }) => [standard, balance, balance_raw]),
    ).toEqual([
      ['erc721', null, null],
      ['erc1155', 3n, '3'],
    ])
    expect(rows.nativeBalances).toEqual([])
    expect(Object.keys(rows.collectibleBalances[0]!).sort()).toEqual(
      Object.keys(restCollectibleBalances.columns).sort(),
    )
    expect(() => decode({ collectibleBalances: [{ ...erc721, ercType: 'ERC-404' }] }, testContext())).toThrow(
      'collectibleBalances[0] is of a token standard that chainlake does not know here: ERC-404.',
    )
  })

  test('of ERC-1155 require a token, an id and an amount, and are refused for another chain', () => {
    const decode = erc1155BalancesList(wallet)
    for (const name of ['address', 'tokenId', 'balance']) {
      const { [name]: _, ...rest } = erc1155 as Record<string, unknown>
      expect(() => decode({ erc1155TokenBalances: [rest] }, testContext())).toThrow(
        `The answer has no field erc1155TokenBalances[0].${name}.`,
      )
    }
    const other = { erc1155TokenBalances: [{ ...erc1155, chainId: '1' }] }
    expect(() => decode(other, testContext())).toThrow('The answer is about chain 1, not 43114.')
  })
})
