import { describe, expect, test } from 'vitest'
import { decodeCb58, idText, utxoId } from '../../../codec/ids.ts'
import {
  byAlias,
  decodeAliasedBalance,
  pBalancesList,
  xBalanceList,
  xBalancesList,
} from '../../../pipelines/address-balances.ts'
import { nodeBalances } from '../../../schemas/node-state.ts'
import { contextOf } from '../recordings.ts'
import { expectFits } from '../service/expect-fits.ts'
import { testContext } from '../service/reading.ts'
import { type RecordedCall, recordedCalls } from './calls.ts'

const answers = recordedCalls('platform.getBalance', 'avm.getBalance', 'avm.getAllBalances')
const answered = answers.filter(({ refusal }) => refusal === null)

function questionOf({ recording, path, params }: RecordedCall) {
  const chain = path.endsWith('P') ? 'P' : 'X'
  const { network, blockchainId, nativeAssetId } = contextOf(recording === 'helicon' ? 'helicon' : 'granite', chain)
  const address = params.address ?? params.addresses.join()
  return { network, blockchain_id: blockchainId, address, subject: 'all', nativeAssetId }
}

function rowsOf(call: RecordedCall) {
  const question = questionOf(call)
  const decode =
    call.method === 'platform.getBalance'
      ? pBalancesList(question)
      : call.method === 'avm.getBalance'
        ? xBalanceList({ ...question, asset: call.params.assetID })
        : xBalancesList(question)
  const context = testContext()
  const { rows } = decode(call.result, context)
  expect(context.unknown).toEqual([])
  expectFits(nodeBalances, rows.balances)
  return rows.balances
}

function idsOf(utxoIDs: readonly { txID: string; outputIndex: number }[] | null): string[] {
  return (utxoIDs ?? []).map(({ txID, outputIndex }) => idText(utxoId(decodeCb58(txID), outputIndex)))
}

describe('recorded balances', () => {
  test('of the P-Chain give one row per asset, for one address and for several', () => {
    const calls = answered.filter(({ method }) => method === 'platform.getBalance')
    expect(calls.length).toBeGreaterThan(6)
    for (const call of calls) {
      const { result } = call
      const rows = rowsOf(call)
      expect(Object.fromEntries(rows.map(({ asset, balance }) => [asset, String(balance)]))).toEqual(result.balances)
      for (const [name, column] of [
        ['unlockeds', 'unlocked'],
        ['lockedStakeables', 'locked_stakeable'],
        ['lockedNotStakeables', 'locked_not_stakeable'],
      ] as const)
        for (const row of rows) expect(String(row[column])).toBe(result[name][row.asset] ?? '0')
      for (const row of rows) {
        expect(row.asset_id).toBe(row.asset)
        expect(row.utxo_ids).toEqual(idsOf(result.utxoIDs))
      }
      const native = rows.find(({ asset }) => asset === questionOf(call).nativeAssetId)
      for (const [name, column] of [
        ['balance', 'balance'],
        ['unlocked', 'unlocked'],
        ['lockedStakeable', 'locked_stakeable'],
        ['lockedNotStakeable', 'locked_not_stakeable'],
      ] as const)
        expect(String(native?.[column] ?? 0n)).toBe(result[name])
    }
    expect(calls.some(({ result }) => result.lockedNotStakeable !== '0')).toBe(true)
  })

  test('of the X-Chain by asset resolve an alias and keep its text', () => {
    const calls = answered.filter(({ method }) => method === 'avm.getBalance')
    for (const call of calls) {
      const { nativeAssetId } = questionOf(call)
      const { assetID } = call.params
      expect(rowsOf(call)).toEqual([
        expect.objectContaining({
          asset: assetID,
          asset_id: assetID === 'AVAX' ? nativeAssetId : assetID,
          balance: BigInt(call.result.balance),
          unlocked: null,
          utxo_ids: idsOf(call.result.utxoIDs),
        }),
      ])
    }
    expect(calls.filter(({ params }) => params.assetID === 'AVAX').length).toBeGreaterThan(4)
  })

  test('of the X-Chain for all assets are exact, even with 20 digits', () => {
    const calls = answered.filter(({ method }) => method === 'avm.getAllBalances')
    const largest: bigint[] = []
    for (const call of calls) {
      const rows = rowsOf(call)
      expect(rows.map(({ asset, balance }) => ({ asset, balance: String(balance) }))).toEqual(call.result.balances)
      for (const { asset, asset_id, utxo_ids, balance } of rows) {
        expect(asset_id).toBe(asset === 'AVAX' ? questionOf(call).nativeAssetId : asset)
        expect(utxo_ids).toBeNull()
        largest.push(balance)
      }
    }
    expect(largest.some((balance) => balance > 2n ** 63n)).toBe(true)
  })

  test('are refused by the node only because of an invalid address', () => {
    const reasons = answers.flatMap(({ refusal }) => (refusal === null ? [] : [refusal.message]))
    expect(new Set(reasons)).toEqual(
      new Set([
        'couldn\'t parse address "P-local1nope": invalid separator index 5',
        "problem parsing address 'X-local1zz': couldn't parse address \"X-local1zz\": invalid separator index 5",
      ]),
    )
  })
})

const question = { network: 'local', blockchain_id: 'x', address: 'a', subject: 'all', nativeAssetId: null }

test('an asset alias of a genesis is resolved to the id in the description of the asset', () => {
  const answer = {
    balances: [
      { asset: 'feeasset', balance: '7' },
      { asset: 'AVAX', balance: '1' },
      { asset: '11111111111111111111111111111111LpoYY', balance: '2' },
    ],
  }
  const { rows, items } = byAlias(xBalancesList(question))(answer, testContext())
  expect(rows.balances.map(({ asset_id, balance }) => [asset_id, balance])).toEqual([
    ['11111111111111111111111111111111LpoYY', 2n],
  ])
  expect([...items.keys()]).toEqual(['feeasset', 'AVAX'])
  const assetID = '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe'
  const described = { assetID, name: 'Fee', symbol: 'FEE', denomination: '0' }
  const context = testContext()
  const { balances } = decodeAliasedBalance(described, context, items.get('feeasset')!)
  expect(context.unknown).toEqual([])
  expectFits(nodeBalances, balances)
  expect(balances).toMatchObject([{ asset: 'feeasset', asset_id: assetID, balance: 7n }])
})

describe('damaged balances', () => {
  test('are refused when an asset id has a wrong checksum', () => {
    const asset = '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbf'
    expect(() => xBalancesList(question)({ balances: [{ asset, balance: '1' }] }, testContext())).toThrow(/checksum/)
  })

  test('are refused when an alias has two amounts', () => {
    const balances = ['1', '2'].map((balance) => ({ asset: 'feeasset', balance }))
    expect(() => byAlias(xBalancesList(question))({ balances }, testContext())).toThrow('two different items')
  })

  test('are refused when an amount is no whole number', () => {
    expect(() =>
      xBalanceList({ ...question, asset: '11111111111111111111111111111111LpoYY' })({ balance: '1.5' }, testContext()),
    ).toThrow(expect.objectContaining({ details: expect.objectContaining({ field: 'balance' }) }))
  })
})
