import { expect, test } from 'vitest'
import { erc20BalancesList } from '../../../../pipelines/balances.ts'
import { sampleAnswer } from '../../../external-data.ts'
import { testContext } from '../reading.ts'

test('a captured page of ERC-20 balances is decoded without unknown fields', () => {
  const address = `0x${'ab'.repeat(20)}`
  const wallet = { network: 'mainnet', chain_id: '43114', address, subject: `43114/${address}` }
  const context = testContext()
  const { rows } = erc20BalancesList(wallet)(sampleAnswer('dataapi_evm_listErc20Balances'), context)
  expect(rows.erc20Balances).toMatchObject([
    {
      token_address: '0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e',
      token_symbol: 'USDC',
      balance: 15_000_000n,
      balance_raw: '15000000',
      price: 1,
      balance_value: 9.6,
      token_reputation: null,
    },
  ])
  expect(rows.nativeBalances).toEqual([])
  expect(context.unknown).toEqual([])
})
