import { describe, expect, test } from 'vitest'
import {
  internalTransactionsList,
  nativeTransactionsList,
  walletErc721List,
} from '../../../../pipelines/wallet-transfers.ts'
import { restInternalTransactions, restNativeTransactions } from '../../../../schemas/rest-tokens.ts'
import { evmAddress, hash } from '../../made-ids.ts'
import { testContext } from '../reading.ts'

const place = { network: 'mainnet', chain_id: '43114', address: evmAddress('w') }
const event = {
  blockNumber: '339',
  blockTimestamp: 1648672486,
  blockHash: hash('block'),
  txHash: hash('tx'),
  from: { address: evmAddress('w') },
  to: { address: evmAddress('to') },
}
const call = { ...event, internalTxType: 'CALL', value: '10', isReverted: false, gasUsed: '5', gasLimit: '6' }
const sent = {
  ...event,
  chainId: '43114',
  blockIndex: 0,
  txStatus: '1',
  txType: 2,
  gasLimit: '21000',
  gasUsed: '21000',
  gasPrice: '25000000000',
  nonce: '7',
  value: '9'.repeat(39),
}

describe('internal transactions', () => {
  const decode = internalTransactionsList(place)

  test('are numbered within their transaction, and equal ones keep their numbers when a page repeats them', () => {
    const context = testContext()
    const first = decode({ transactions: [call, call, { ...call, value: '11' }], nextPageToken: 'n' }, context)
    const keys = first.rows.internalTransactions.map(({ position, amount }) => [position, amount])
    expect(keys).toEqual([
      [0, 10n],
      [1, 10n],
      [2, 11n],
    ])
    expect(new Set(first.items.map(({ key }) => key)).size).toBe(3)
    expect(Object.keys(first.rows.internalTransactions[0]!).sort()).toEqual(
      Object.keys(restInternalTransactions.columns).sort(),
    )
    const again = decode(
      {
        transactions: [
          { ...call, value: '11' },
          { ...call, txHash: hash('b') },
        ],
      },
      context,
    )
    expect(again.rows.internalTransactions.map(({ position }) => position)).toEqual([2, 0])
    expect(context.unknown).toEqual([])
  })

  test('are refused without a kind', () => {
    const { internalTxType: _, ...unknown } = call
    expect(() => decode({ transactions: [unknown] }, testContext())).toThrow('transactions[0].internalTxType')
  })
})

describe('transactions of a wallet', () => {
  const decode = nativeTransactionsList(place)

  test('have exact amounts, and no method where the service lists none', () => {
    const context = testContext()
    const [row] = decode({ transactions: [sent] }, context).rows.nativeTransactions
    expect(row).toMatchObject({
      transaction_index: 0,
      status: 1,
      amount: null,
      amount_raw: '9'.repeat(39),
      gas_price: 25_000_000_000n,
      nonce: 7n,
      method_type: null,
    })
    expect(Object.keys(row!).sort()).toEqual(Object.keys(restNativeTransactions.columns).sort())
    expect(context.unknown).toEqual([])
  })

  test('of another chain are refused', () => {
    expect(() => decode({ transactions: [{ ...sent, chainId: '1' }] }, testContext())).toThrow('about chain 1')
  })
})

test('ERC-721 transfers of a wallet have the rows of the transfers of a contract', () => {
  const token = { address: evmAddress('t'), ercType: 'ERC-721', tokenId: '5', name: 'N', symbol: 'N' }
  const answer = { transactions: [{ ...event, logIndex: 4, erc721Token: token }] }
  const { rows, items } = walletErc721List(place)(answer, testContext())
  expect(rows.erc721Transfers).toMatchObject([{ log_index: 4, position: null, token_id: '5' }])
  expect(items).toEqual([{ key: '339/4', time: 1648672486 }])
})
