import { describe, expect, test } from 'vitest'
import { tokenTransfersList } from '../../../../pipelines/token-transfers.ts'
import { walletErc20List } from '../../../../pipelines/wallet-transfers.ts'
import { sampleAnswer } from '../../../external-data.ts'
import { testContext } from '../reading.ts'

const place = { network: 'mainnet', chain_id: '43114' }
const wallet = walletErc20List(place)
const token = tokenTransfersList(place)

describe('captured transfers', () => {
  test('of a contract decode', () => {
    const context = testContext()
    const { rows, items, next } = token(sampleAnswer('dataapi_token_transfers_docExample'), context)
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
    expect(() => wallet(sampleAnswer('dataapi_transactions_listErc20_docExample'), testContext())).toThrow(
      'The answer has no field transactions[0].erc20Token.',
    )
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
