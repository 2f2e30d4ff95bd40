import { describe, expect, test } from 'vitest'
import { restUtxosList } from '../../../pipelines/rest-utxos.ts'
import { restUtxos } from '../../../schemas/rest-transactions.ts'
import { DecodeError } from '../../../src/errors.ts'
import { id } from '../made-ids.ts'
import { expectFits } from './expect-fits.ts'
import { testContext } from './reading.ts'

const decode = restUtxosList({ network: 'fuji', id: 'chain', alias: 'P', parts: { network: 'fuji' } })

const pShape = {
  addresses: ['P-fuji1udpqdsrf5hydtl96d7qexgvkvc8tgn0d3fgrym'],
  asset: { assetId: id('asset'), name: 'Coin', symbol: 'CN', denomination: 9, type: 'secp256k1', amount: '500000000' },
  consumedOnChainId: id('x'),
  consumingTxHash: id('spender'),
  createdOnChainId: id('p'),
  utxoId: id('utxo'),
  utxoBytes: '0xABcd',
  amount: '500000000',
  assetId: id('asset'),
  blockNumber: '251367',
  blockTimestamp: 1765517346,
  consumingBlockNumber: '300000',
  consumingBlockTimestamp: 1765517400,
  platformLocktime: 12,
  outputIndex: 3,
  rewardType: 'VALIDATOR',
  stakeableLocktime: 18446744073709551615n,
  staked: true,
  threshold: 1,
  txHash: id('maker'),
  utxoEndTimestamp: 1765517500,
  utxoStartTimestamp: 1765517300,
  utxoType: 'STAKE',
}

const xShape = {
  addresses: pShape.addresses,
  asset: pShape.asset,
  consumedOnChainId: id('x'),
  consumingTxHash: id('spender'),
  createdOnChainId: id('p'),
  utxoId: id('utxo'),
  utxoBytes: '0xABcd',
  consumingTxTimestamp: 1765517400,
  creationTxHash: id('maker'),
  credentials: [{ signature: 'c2ln', publicKey: 'a2V5' }, {}],
  groupId: 7,
  locktime: 12,
  outputIndex: '3',
  payload: '0x0aFF',
  threshold: 1,
  timestamp: 1765517346,
  utxoType: 'nft_transfer',
}

function rowOf(utxo: object): any {
  return decode({ utxos: [utxo], chainInfo: { chainName: 'p-chain' } }, testContext()).rows.utxos![0]
}

function failure(utxo: object): DecodeError {
  try {
    rowOf(utxo)
  } catch (error) {
    if (error instanceof DecodeError) return error
  }
  throw new Error('The decoder took it.')
}

const common = {
  network: 'fuji',
  blockchain_id: 'chain',
  utxo_id: id('utxo'),
  observation_id: 'observation-1',
  observed_at: 1_763_700_000_000_000n,
  version_hash: '',
  present: true,
  tx_id: id('maker'),
  output_index: 3,
  asset_id: id('asset'),
  amount: 500_000_000n,
  asset_name: 'Coin',
  asset_symbol: 'CN',
  asset_denomination: 9,
  asset_type: 'secp256k1',
  addresses: ['fuji1udpqdsrf5hydtl96d7qexgvkvc8tgn0d3fgrym'],
  threshold: 1,
  locktime: 12n,
  created_on_chain_id: id('p'),
  consumed_on_chain_id: id('x'),
  block_time: 1_765_517_346_000_000n,
  consuming_tx_id: id('spender'),
  consuming_block_time: 1_765_517_400_000_000n,
  utxo_bytes: '0xabcd',
  chain_name: 'p-chain',
}

describe('UTXOs', () => {
  test('in the shape of the P-Chain have every field', () => {
    const row = rowOf(pShape)
    expect(row).toEqual({
      ...common,
      utxo_type: 'STAKE',
      height: 251367,
      consuming_height: 300000,
      staked: true,
      stakeable_locktime: 18446744073709551615n,
      reward_type: 'VALIDATOR',
      start_time: 1_765_517_300_000_000n,
      end_time: 1_765_517_500_000_000n,
      credentials: null,
      group_id: null,
      payload: null,
    })
    expectFits(restUtxos, [row])
  })

  test('in the shape of the X-Chain and C-Chain have every field', () => {
    const row = rowOf(xShape)
    expect(row).toEqual({
      ...common,
      utxo_type: 'nft_transfer',
      height: null,
      consuming_height: null,
      staked: null,
      stakeable_locktime: null,
      reward_type: null,
      start_time: null,
      end_time: null,
      credentials: [
        { signature_base64: 'c2ln', public_key_base64: 'a2V5' },
        { signature_base64: null, public_key_base64: null },
      ],
      group_id: 7,
      payload: Buffer.from([0x0a, 0xff]),
    })
    expectFits(restUtxos, [row])
  })

  test('report no field of both shapes as unknown, and each unknown field once per path', () => {
    const context = testContext()
    decode({ utxos: [pShape, xShape], chainInfo: { chainName: 'p-chain', network: 'fuji' } }, context)
    expect(context.unknown).toEqual([])
    const odd = { ...pShape, restaked: 1, asset: { ...pShape.asset, logo: id('x') } }
    decode({ utxos: [xShape, odd], more: true }, context)
    expect(new Set(context.unknown)).toEqual(new Set(['utxos[].asset.logo', 'utxos[].restaked', 'more']))
  })

  test('accept texts for numbers and numbers for texts', () => {
    const row = rowOf({
      ...pShape,
      blockNumber: 251367,
      blockTimestamp: '1765517346',
      outputIndex: '3',
      threshold: '1',
    })
    expect(row).toMatchObject({ height: 251367, block_time: common.block_time, output_index: 3, threshold: 1 })
    expect(rowOf({ ...pShape, asset: { ...pShape.asset, amount: 500000000 } }).amount).toBe(500_000_000n)
  })

  test('without an asset object have the asset id and the amount of the UTXO itself', () => {
    const { asset, ...older } = pShape
    expect(rowOf(older)).toMatchObject({
      asset_id: id('asset'),
      amount: 500_000_000n,
      asset_name: null,
      asset_type: null,
    })
    const { assetId, ...neither } = older
    expect(failure(neither).details).toMatchObject({ field: 'utxos[0].assetId' })
  })

  test.each([
    ['utxoId', 'utxos[0].utxoId'],
    ['txHash', 'utxos[0].txHash'],
    ['outputIndex', 'utxos[0].outputIndex'],
    ['blockTimestamp', 'utxos[0].blockTimestamp'],
    ['addresses', 'utxos[0].addresses'],
    ['createdOnChainId', 'utxos[0].createdOnChainId'],
  ])('are refused without %s; the error names the field', (field, path) => {
    const { [field as 'utxoId']: _, ...rest } = pShape
    expect(failure(rest)).toMatchObject({ code: 'decode.missing-field', details: { field: path } })
  })

  test('are refused when they are no objects or have wrong values; the error names the path', () => {
    expect(() => decode({ utxos: [pShape, 5] }, testContext())).toThrow('utxos[1]')
    expect(() => decode({ utxos: 5 }, testContext())).toThrow('utxos')
    expect(() => decode({}, testContext())).toThrow('has no field utxos')
    expect(failure({ ...xShape, payload: 'zz' }).details).toMatchObject({ field: 'utxos[0].payload', value: '"zz"' })
  })

  test('of unknown types are accepted', () => {
    expect(rowOf({ ...pShape, utxoType: 'NEW', rewardType: 'SOMEONE' })).toMatchObject({
      utxo_type: 'NEW',
      reward_type: 'SOMEONE',
    })
  })

  test('are identified by their id; an empty or missing page token ends the list', () => {
    const page = decode({ utxos: [pShape], nextPageToken: 'more' }, testContext())
    expect(page.items).toEqual([{ key: id('utxo'), time: 1765517346 }])
    expect(page.next).toBe('more')
    expect(decode({ utxos: [], nextPageToken: '' }, testContext())).toMatchObject({ items: [], next: null })
    expect(decode({ utxos: [] }, testContext()).next).toBeNull()
  })

  test.each([[[]], [['']], [{}], [true]])('have no end where the page token is of another type: %j', (token) => {
    const attempt = () => decode({ utxos: [pShape], nextPageToken: token }, testContext())
    expect(attempt).toThrow('The field nextPageToken of the answer is no text.')
  })
})
