import { describe, expect, test } from 'vitest'
import { erc20BalancesList, erc1155BalancesList } from '../../../pipelines/balances.ts'
import { restEvmBlocksList } from '../../../pipelines/rest-evm-blocks.ts'
import { xTransactionsList } from '../../../pipelines/rest-transactions.ts'
import { restUtxosList } from '../../../pipelines/rest-utxos.ts'
import { rewardsList } from '../../../pipelines/rewards.ts'
import { newestBlock } from '../../../pipelines/shared/service.ts'
import { tokenTransfersList } from '../../../pipelines/token-transfers.ts'
import { tpsList } from '../../../pipelines/tps.ts'
import { walletErc20List } from '../../../pipelines/wallet-transfers.ts'
import { metricsChainTps } from '../../../schemas/metrics.ts'
import { restEvmBlocks } from '../../../schemas/rest-tokens.ts'
import { restRewards, restUtxos, restXTransactions } from '../../../schemas/rest-transactions.ts'
import { sampleAnswer } from '../../external-data.ts'
import { expectFits } from './expect-fits.ts'
import { testContext } from './reading.ts'

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

test('a captured page of ERC-20 balances is decoded without unknown fields', () => {
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

const place = { network: 'mainnet', chain_id: '43114' }

describe('captured transfers', () => {
  test('of a contract decode', () => {
    const context = testContext()
    const { rows, items, next } = tokenTransfersList(place)(sampleAnswer('dataapi_token_transfers_docExample'), context)
    expect(next).toBe('<string>')
    expect(items).toEqual([{ key: '339/123', time: 1648672486 }])
    expect(rows.erc721Transfers).toEqual([])
    expect(rows.erc1155Transfers).toEqual([])
    const uri = expect.stringContaining('avalanche-avax-logo.svg')
    expect(rows.erc20Transfers).toEqual([
      {
        network: 'mainnet',
        chain_id: '43114',
        block_number: 339,
        log_index: 123,
        transaction_hash: '0x3e9303f81be00b4af28515dab7b914bf3dbff209ea10e7071fa24d4af0a112d4',
        position: null,
        block_time: 1_648_672_486_000_000n,
        block_hash: '0x17533aeb5193378b9ff441d61728e7a2ebaf10f61fd5310759451627dfca2e7c',
        from_address: '0x71c7656ec7ab88b098defb751b7401b5f6d8976f',
        from_name: 'Wrapped AVAX',
        from_symbol: 'WAVAX',
        from_decimals: 18,
        from_logo_uri: uri,
        to_address: '0x71c7656ec7ab88b098defb751b7401b5f6d8976f',
        to_name: 'Wrapped AVAX',
        to_symbol: 'WAVAX',
        to_decimals: 18,
        to_logo_uri: uri,
        amount: 10_000_000_000_000_000_000n,
        amount_raw: '10000000000000000000',
        token_address: '0x71c7656ec7ab88b098defb751b7401b5f6d8976f',
        standard: 'erc20',
        token_name: 'Wrapped AVAX',
        token_symbol: 'WAVAX',
        token_decimals: 18,
        token_logo_uri: uri,
        price_currency: 'usd',
        price: 42.42,
      },
    ])
    expect(context.unknown).toEqual([])
  })

  test('of a wallet are refused in the documented example, which is of another route and has no token', () => {
    expect(() =>
      walletErc20List(place)(sampleAnswer('dataapi_transactions_listErc20_docExample'), testContext()),
    ).toThrow('The answer has no field transactions[0].erc20Token.')
  })

  test('of a wallet decode for a real address, with the fields that the route adds', () => {
    const { transaction } = sampleAnswer('webhook_address_activity_erc20Transfers').event
    const transactions = transaction.erc20Transfers.map((transfer: any) => ({
      blockNumber: transaction.blockNumber,
      blockHash: transaction.blockHash,
      txHash: transfer.transactionHash,
      blockTimestamp: transfer.blockTimestamp,
      logIndex: transfer.logIndex,
      value: transfer.value,
      from: { address: transfer.from },
      to: { address: transfer.to },
      erc20Token: { ...transfer.erc20Token, ercType: 'ERC-20' },
    }))
    const context = testContext()
    const { rows } = walletErc20List(place)({ transactions }, context)
    expect(
      rows.erc20Transfers.map(({ amount_raw, token_symbol, log_index }) => [amount_raw, token_symbol, log_index]),
    ).toEqual([
      ['30576074978046450', 'WAVAX', 2],
      ['1195737', 'USDC', 3],
      ['30576074978046450', 'WAVAX', 4],
    ])
    expect(context.unknown).toEqual(Array(3).fill('transactions[].erc20Token.valueWithDecimals'))
  })
})

const decodeBlocks = restEvmBlocksList({ network: 'mainnet', chain_id: '43114' })

describe('captured EVM blocks', () => {
  test('decode without a chain id, as in answers of 2024', () => {
    const context = testContext()
    const { rows, items, next } = decodeBlocks(sampleAnswer('dataapi_evm_blocks'), context)
    expect(next).toBe('9f9e1d25-14a9-49f4-8742-fd4bf12f7cd8')
    expect(rows.blocks).toHaveLength(10)
    expect(items[0]).toEqual({ key: '49889407', time: 1724990250 })
    expect(rows.blocks[0]).toEqual({
      network: 'mainnet',
      chain_id: '43114',
      block_number: 49889407,
      block_time: 1_724_990_250_000_000n,
      block_hash: '0xd34becc82943e3e49048cdd3f75b80a87e44eb3aed6b87cc06867a7c3b9ee213',
      parent_hash: '0xf4917efb4628a1d8f4d101b3d15bce9826e62ef2c93c3e16ee898d27cf02f3d4',
      transaction_count: 1,
      cumulative_transaction_count: 500325352,
      gas_used: 53608n,
      gas_limit: 15000000n,
      base_fee_per_gas: 25000000000n,
      base_fee_per_gas_raw: '25000000000',
      block_gas_cost: 0n,
      block_gas_cost_raw: '0',
      fees_spent: 1435117553916960n,
      fees_spent_raw: '1435117553916960',
      min_delay_excess: null,
    })
    expect(Object.keys(rows.blocks[0]!).sort()).toEqual(Object.keys(restEvmBlocks.columns).sort())
    expect(context.unknown).toEqual([])
  })

  test('give the newest block of the service', () => {
    expect(newestBlock('43114')(sampleAnswer('dataapi_evm_blocks'))).toBe(49889407)
  })
})

const tps = tpsList({ network: 'mainnet', chain_id: '43114', interval: 'day' })

describe('captured answers of the metrics host', () => {
  test('give the points of the specified route', () => {
    const context = testContext()
    const { rows, items, next } = tps(sampleAnswer('metrics_v1_avg_tps'), context)
    expect(rows.points).toHaveLength(4)
    expect(rows.points[0]).toEqual({
      network: 'mainnet',
      chain_id: '43114',
      interval: 'day',
      point_time: 1_724_716_800_000_000n,
      observation_id: 'observation-1',
      observed_at: 1_763_700_000_000_000n,
      version_hash: '',
      metric_value: 1.98,
      status: 200,
      last_run: 1_724_780_812_000_000n,
    })
    expect(Object.keys(rows.points[0]!).sort()).toEqual(Object.keys(metricsChainTps.columns).sort())
    expect(items[3]).toEqual({ key: '1724457600', time: 1724457600 })
    expect(next).toBeNull()
    expect(context.unknown).toEqual([])
  })

  test("give the points of today's route, which has no status", () => {
    const { rows } = tps(sampleAnswer('metrics_v2_activeAddresses'), testContext())
    expect(rows.points).toHaveLength(30)
    expect(rows.points[0]).toMatchObject({ metric_value: 37738, status: null, last_run: null })
  })

  test('continue after an empty page that has a page token', () => {
    expect(tps(sampleAnswer('metrics_pagination_nextPageToken'), testContext())).toEqual({
      rows: { points: [] },
      items: [],
      next: '3d22deea-ea64-4d30-8a1e-c2a353b67e90',
    })
  })
})

describe('captured rewards', () => {
  test('decode without the name and the price of their asset', () => {
    const context = testContext()
    const { rows } = rewardsList({ network: 'mainnet', currency: 'usd' })(
      sampleAnswer('dataapi_rewards_historical'),
      context,
    )
    expect(context.unknown).toEqual([])
    expectFits(restRewards, rows.rewards!)
    expect(rows.rewards).toMatchObject([
      {
        utxo_id: '2KFRpJq4e2pmNu6buZXJcjmcjprEAHjoabd3Y85rYj2nE4a5ph',
        staked_amount: 294_109_588_195_024n,
        amount: 708_950_452_693n,
        currency: 'usd',
        asset_name: null,
        price_currency: null,
        price: null,
      },
    ])
  })
})

const decodeUtxos = restUtxosList({
  network: 'fuji',
  id: 'chain',
  alias: 'P',
  parts: { network: 'fuji' },
})

describe('captured UTXOs', () => {
  test('of the test network decode', () => {
    const context = testContext()
    const { rows } = decodeUtxos(sampleAnswer('dataapi_pchain_utxo_fuji'), context)
    expect(context.unknown).toEqual([])
    expectFits(restUtxos, rows.utxos!)
    expect(rows.utxos).toMatchObject([
      {
        utxo_id: '2ZbiAt9CPdLNJg2QXNgUJP3fXmaRViZPMdWhAJF746D6ceyFzW',
        tx_id: 'ynrBcMq46SbYD87Um3ssbCxWAesH9hGJJCtzv9QqKEapZuMfF',
        amount: 500_000_000n,
        height: 251367,
        staked: false,
        utxo_type: 'TRANSFER',
        consuming_tx_id: null,
        consuming_block_time: null,
        utxo_bytes: expect.stringMatching(/^0x000080f3[0-9a-f]+d780d390c$/),
      },
    ])
  })

  test('decode without an asset object and bytes', () => {
    const context = testContext()
    const { rows } = decodeUtxos(sampleAnswer('dataapi_pchain_utxos'), context)
    expect(context.unknown).toEqual([])
    expectFits(restUtxos, rows.utxos!)
    expect(rows.utxos).toMatchObject([
      {
        utxo_id: '29TBrP58DXP1sN7XpMrB4wYqiyXqCFntTm6oLGjd9VHEVx5rfX',
        asset_id: 'FvwEAhmxKfeiG8SnEvq42hc6whRyY3EFYAvebMqDNDGCgxN5Z',
        amount: 2_883_855_455_977n,
        consumed_on_chain_id: '2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5',
        consuming_height: 69780797,
        consuming_block_time: 1_759_623_444_000_000n,
        utxo_bytes: null,
        asset_name: null,
      },
    ])
  })
})

const chain = { network: 'fuji', id: 'chain', alias: 'X', parts: { network: 'fuji' } } as const
const decodeX = xTransactionsList(chain)

describe('captured X-chain transactions', () => {
  test.each([
    ['base', 'L9QFXNbVpPo8Njx7Z8PTAsapG1CyrwejyseDvgoSLYFwZibbS', 29633, 1, 2, 4_568_000_000n],
    ['export', '244d9WvuT1SRZRDG2ytnCgNQQ9joUyBf8W7mDDW9q8uag6ayb9', 23051, 1, 2, 4_669_000_000n],
    ['import', '2dKjKzeDMjJXNejU3jgYpLpTSRoaFvk4z43SM4tG1LyDT9mFrE', 27775, 1, 1, 100_000_000n],
  ])('of type %s decode', (name, id, height, consumed, emitted, unlocked) => {
    const context = testContext()
    const { rows } = decodeX({ transactions: [sampleAnswer(`dataapi_xchain_transaction_${name}`)] }, context)
    expect(context.unknown).toEqual([])
    expectFits(restXTransactions, rows.xTransactions!)
    const row: any = rows.xTransactions![0]
    expect(row).toMatchObject({ tx_id: id, height, chain_format: 'linear', memo: Buffer.alloc(0) })
    expect([row.consumed_utxos.length, row.emitted_utxos.length]).toEqual([consumed, emitted])
    expect(row.amount_unlocked[0].amount).toBe(unlocked)
    expect(row.consumed_utxos[0]).toMatchObject({
      utxo_type: 'transfer',
      output_index: 0,
      consuming_tx_id: id,
      credentials: [{ public_key_base64: 'A/22A6R3sY7uilKAjoudyg4qzh6MKitOpnwTX4DJjMap' }],
    })
  })

  test('decode as a list', () => {
    const context = testContext()
    const { rows, items, next } = decodeX(sampleAnswer('dataapi_xchain_transactions_list_DERIVED'), context)
    expect(context.unknown).toEqual([])
    expectFits(restXTransactions, rows.xTransactions!)
    expect(items.map(({ key }) => key)).toEqual(rows.xTransactions!.map(({ tx_id }: any) => tx_id))
    expect(items).toHaveLength(3)
    expect(next === null || typeof next === 'string').toBe(true)
  })
})
