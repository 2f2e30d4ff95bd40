import { describe, expect, test } from 'vitest'
import { erc1155BalancesList } from '../../../../pipelines/balances.ts'
import { sampleAnswer } from '../../../external-data.ts'
import { testContext } from '../reading.ts'

const address = `0x${'ab'.repeat(20)}`
const wallet = { network: 'mainnet', chain_id: '43114', address, subject: `43114/${address}` }

describe('a captured balance', () => {
  test('of an ERC-20 token has the same fields as a native balance', () => {
    const [token] = sampleAnswer('dataapi_evm_listErc20Balances').erc20TokenBalances
    const context = testContext()
    const { ercType, address: _, ...like } = token
    const answer = { nativeTokenBalance: like, erc1155TokenBalances: [] }
    expect(erc1155BalancesList(wallet)(answer, context).rows.nativeBalances).toMatchObject([
      { balance: 15000000n, token_symbol: 'USDC', token_decimals: 6, price: 1, balance_value: 9.6 },
    ])
    expect(context.unknown).toEqual([])
  })
})
