import { describe, expect, test } from 'vitest'
import { cTransactionsList, xTransactionsList } from '../../../pipelines/rest-transactions.ts'
import { restCAtomicTransactions, restXTransactions } from '../../../schemas/rest-transactions.ts'
import { evmAddress, hash, id, owner } from '../made-ids.ts'
import { expectFits } from './expect-fits.ts'
import { testContext } from './reading.ts'

const chain = { network: 'fuji', id: 'chain', alias: 'X', parts: { network: 'fuji' } } as const
const decodeX = xTransactionsList(chain)
const decodeC = cTransactionsList(chain)

const coin = { assetId: id('coin'), name: 'Coin', symbol: 'CN', denomination: 9, type: 'secp256k1', amount: '7' }
const xUtxo = {
  addresses: [`X-${owner('a')}`],
  asset: coin,
  consumedOnChainId: id('x'),
  createdOnChainId: id('x'),
  utxoId: id('utxo'),
  creationTxHash: id('before'),
  locktime: 0,
  outputIndex: '1',
  threshold: 1,
  timestamp: 1700000000,
  utxoType: 'transfer',
}
const specUtxo = {
  addresses: [`X-${owner('a')}`],
  asset: coin,
  amount: '7',
  assetId: id('coin'),
  consumedOnChainId: id('x'),
  createdOnChainId: id('x'),
  utxoId: id('utxo'),
  txHash: id('before'),
  platformLocktime: 0,
  outputIndex: 1,
  threshold: 1,
  blockTimestamp: 1700000000,
  blockNumber: '5',
  utxoType: 'TRANSFER',
}
const nonLinear = {
  txHash: id('tx'),
  chainFormat: 'non-linear',
  timestamp: 1600000001,
  txType: 'CreateAssetTx',
  memo: '0x',
  consumedUtxos: [xUtxo],
  emittedUtxos: [xUtxo],
  amountUnlocked: [coin],
  amountCreated: [coin],
  assetCreated: {
    assetId: id('coin'),
    name: 'Coin',
    symbol: 'CN',
    denomination: 9,
    type: 'nft',
    createdAtTimestamp: 1600000000,
    cap: 'fixed',
  },
  vertices: [{ hash: id('vertex'), height: 12, timestamp: 1600000002 }],
}

const xRow = (transaction: object): any =>
  decodeX({ transactions: [transaction] }, testContext()).rows.xTransactions![0]
const cRow = (transaction: object): any =>
  decodeC({ transactions: [transaction] }, testContext()).rows.cAtomicTransactions![0]

describe('X-chain transactions', () => {
  test('from before the chain was linear have their vertices and no block', () => {
    const context = testContext()
    const { rows } = decodeX({ transactions: [nonLinear], chainInfo: { chainName: 'x-chain' } }, context)
    expect(context.unknown).toEqual([])
    expectFits(restXTransactions, rows.xTransactions!)
    expect(rows.xTransactions).toMatchObject([
      {
        chain_name: 'x-chain',
        tx_id: id('tx'),
        height: null,
        block_id: null,
        block_time: 1_600_000_001_000_000n,
        chain_format: 'non-linear',
        asset_created: { asset_id: id('coin'), created_time: 1_600_000_000_000_000n, cap: 'fixed' },
        vertices: [{ vertex_hash: id('vertex'), height: 12, block_time: 1_600_000_002_000_000n }],
      },
    ])
  })

  test('give the same rows with the field names of the specification', () => {
    const context = testContext()
    const shared = { txHash: id('tx'), txType: 'BaseTx', memo: '0x01', sourceChain: id('x') }
    const moved = { value: [coin], amountBurned: [coin] }
    const spec = {
      ...shared,
      ...moved,
      blockTimestamp: 1700000009,
      blockNumber: '9',
      blockHash: id('block'),
      consumedUtxos: [specUtxo],
      emittedUtxos: [],
    }
    const real = {
      ...shared,
      ...moved,
      timestamp: 1700000009,
      blockHeight: 9,
      blockHash: id('block'),
      consumedUtxos: [{ ...xUtxo, utxoType: 'TRANSFER', blockNumber: 5 }],
      emittedUtxos: [],
    }
    const { rows } = decodeX({ transactions: [spec, real] }, context)
    expect(context.unknown).toEqual([])
    expectFits(restXTransactions, rows.xTransactions!)
    const [ofSpec, ofReal] = rows.xTransactions!
    expect(ofSpec).toEqual(ofReal)
    expect(ofSpec).toMatchObject({ height: 9, amounts: [{ amount: 7n }], amount_burned: [{ amount: 7n }] })
  })

  test.each(['txHash', 'txType', 'timestamp', 'consumedUtxos', 'emittedUtxos'])(
    'are refused without %s; the error names the field',
    (field) => {
      const { [field as 'txHash']: _, ...rest } = nonLinear
      expect(() => xRow(rest)).toThrow(`transactions[0].${field}`)
    },
  )
})

describe('atomic transactions of the C-Chain', () => {
  const place = {
    txHash: id('tx'),
    blockHeight: 77,
    blockHash: hash('block').toUpperCase().replace('X', 'x'),
    timestamp: 1700000001,
    memo: '0x',
  }
  const moved = { amountUnlocked: [coin], amountCreated: [coin], sourceChain: id('c'), destinationChain: id('x') }

  test('that export have EVM inputs', () => {
    const context = testContext()
    const evmInputs = [{ fromAddress: evmAddress('a'), asset: coin, credentials: [{ signature: 'c2ln' }] }]
    const answer = { ...place, ...moved, txType: 'ExportTx', evmInputs, emittedUtxos: [xUtxo] }
    const { rows, items } = decodeC({ transactions: [answer] }, context)
    expect(context.unknown).toEqual([])
    expectFits(restCAtomicTransactions, rows.cAtomicTransactions!)
    expect(items).toEqual([{ key: id('tx'), time: 1700000001 }])
    expect(rows.cAtomicTransactions![0]).toMatchObject({
      chain_name: null,
      block_number: 77,
      block_hash: hash('block'),
      tx_type: 'ExportTx',
      evm_inputs: [
        {
          evm_address: evmAddress('a'),
          asset_id: id('coin'),
          amount: 7n,
          credentials: [{ signature_base64: 'c2ln', public_key_base64: null }],
        },
      ],
      evm_outputs: null,
      consumed_utxos: null,
      emitted_utxos: [{ utxo_id: id('utxo'), output_index: 1 }],
    })
  })

  test('that import have EVM outputs, also with the field names of the specification', () => {
    const evmOutputs = [{ toAddress: evmAddress('a'), asset: coin }]
    const { blockHeight, timestamp, ...others } = place
    const spec = { ...others, blockNumber: '77', blockTimestamp: 1700000001 }
    const row = cRow({ ...spec, ...moved, txType: 'ImportTx', evmOutputs, consumedUtxos: [xUtxo] })
    expectFits(restCAtomicTransactions, [row])
    expect(row).toMatchObject({
      block_number: 77,
      block_time: 1_700_000_001_000_000n,
      evm_inputs: null,
      evm_outputs: [{ evm_address: evmAddress('a'), asset_id: id('coin'), amount: 7n, asset_name: 'Coin' }],
      consumed_utxos: [{ utxo_id: id('utxo') }],
    })
  })

  test.each(['txHash', 'txType', 'blockHeight', 'blockHash', 'timestamp'])(
    'are refused without %s; the error names the field',
    (field) => {
      const { [field as 'txHash']: _, ...rest } = { ...place, txType: 'ImportTx' }
      expect(() => cRow(rest)).toThrow(`transactions[0].${field}`)
    },
  )
})
