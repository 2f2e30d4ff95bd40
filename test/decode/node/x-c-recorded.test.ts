import { describe, expect, test } from 'vitest'
import { assetList, assetRefused } from '../../../pipelines/assets.ts'
import { feesList } from '../../../pipelines/supply.ts'
import { nodeAssets, nodeBlocks, nodeFees, nodeTransactions } from '../../../schemas/node-state.ts'
import {
  blockRefused,
  decodeBlock,
  decodeTx,
  decodeTxStatus,
  type RequestedTransaction,
  txRefused,
  txStatusRefused,
} from '../../../src/decode/node/node.ts'
import { parseLosslessJson } from '../../../src/lib/json.ts'
import { contextOf } from '../recordings.ts'
import { expectFits } from '../service/expect-fits.ts'
import { testContext } from '../service/reading.ts'
import { type RecordedCall, recordedCalls } from './calls.ts'
import { expectSaid } from './expect-said.ts'

/** `live` is of the same network as `granite`. */
/** The first columns of rows about the X-Chain. */
function placeOf(call: RecordedCall) {
  const { network, blockchainId: blockchain_id } = chainOf(call, 'X')
  return { network, blockchain_id }
}

function chainOf({ recording }: RecordedCall, chain: 'P' | 'X' | 'C') {
  const { network, blockchainId } = contextOf(recording === 'live' ? 'granite' : (recording as 'granite'), chain)
  return { network, blockchainId, fxs: null }
}

const unmarshalled = /^couldn't unmarshal an argument/

test('recorded fees give rows with the same data', () => {
  const calls = recordedCalls('avm.getTxFee')
  expect(calls.length).toBe(4)
  for (const call of calls) {
    const { rows } = feesList({ ...placeOf(call), subject: 'fees' })(call.result, testContext())
    expectFits(nodeFees, rows.fees)
    expect(expectSaid(nodeFees, rows.fees[0]!, call.result)).toBe(2)
  }
})

test('recorded assets give rows with the same data; an asset that the node does not have gives no row', () => {
  const kinds = { row: 0, again: 0 }
  for (const call of recordedCalls('avm.getAssetDescription')) {
    const context = testContext()
    if (call.refusal !== null) {
      expect(assetRefused(call.refusal)).toMatchObject({ rows: { assets: [] }, next: null })
      kinds.again++
      continue
    }
    // The node resolves aliases of the native asset; the pipeline asks by ids.
    const assetId = call.params.assetID === 'AVAX' ? call.result.assetID : call.params.assetID
    const { rows } = assetList({ ...placeOf(call), requested: assetId })(call.result, context)
    expect(context.unknown).toEqual([])
    expectFits(nodeAssets, rows.assets)
    expect(expectSaid(nodeAssets, rows.assets[0]!, call.result)).toBe(4)
    expect(() => assetList({ ...placeOf(call), requested: 'another' })(call.result, context)).toThrow('another asset')
    kinds.row++
  }
  expect(kinds).toEqual({ row: 18, again: 4 })
})

describe('recorded transactions by id', () => {
  const cases = [
    { namespace: 'xvm', chain: 'X', get: 'avm.getTx', status: 'avm.getTxStatus', rows: 84, again: 2 },
    { namespace: 'cx', chain: 'C', get: 'avax.getAtomicTx', status: 'avax.getAtomicTxStatus', rows: 36, again: 2 },
  ] as const

  test.each(cases)('$get: rows have the bytes or the JSON of the answer', ({ namespace, chain, get, rows, again }) => {
    const kinds = { rows: 0, again: 0, failures: [] as string[] }
    for (const call of recordedCalls(get)) {
      const requested: RequestedTransaction = { ...chainOf(call, chain), namespace, txId: call.params.txID }
      if (call.refusal !== null) {
        const page = txRefused(call.refusal)
        if (page === null) kinds.failures.push(call.refusal.message)
        else kinds.again++
        continue
      }
      const context = testContext()
      const token = JSON.stringify({ tx_status: 'Accepted', height: null })
      const page = decodeTx(requested)(call.result, context, token)
      expect(context.unknown).toEqual([])
      expectFits(nodeTransactions, page.rows.transactions)
      const [row] = page.rows.transactions
      const { tx, encoding, ...rest } = call.result
      expect(row).toMatchObject({
        tx_id: requested.txId,
        blockchain_id: requested.blockchainId,
        encoding,
        tx_status: 'Accepted',
      })
      expectSaid(nodeTransactions, row!, rest, { blockHeight: 'height' })
      if (encoding === 'json') expect(parseLosslessJson(row!.tx_json!)).toEqual(tx)
      else expect(`0x${Buffer.from(row!.tx_bytes!).toString('hex')}`).toBe(tx.slice(0, -8))
      kinds.rows++
      const other = { ...requested, txId: requested.blockchainId }
      if (encoding === 'hex') expect(() => decodeTx(other)(call.result, context, token)).toThrow('another transaction')
      const elsewhere = { ...requested, blockchainId: requested.txId }
      expect(() => decodeTx(elsewhere)(call.result, context, token)).toThrow('of another chain')
    }
    expect(kinds.rows).toBe(rows)
    expect(kinds.again).toBe(again)
    for (const message of kinds.failures) expect(message).toMatch(/unmarshal an argument|unsupported encoding/)
  })

  test.each(cases)(
    '$status: an accepted one is asked for its content, others again',
    ({ namespace, chain, status }) => {
      const kinds = { accepted: 0, again: 0 }
      for (const call of recordedCalls(status)) {
        const requested: RequestedTransaction = { ...chainOf(call, chain), namespace, txId: call.params.txID }
        const page =
          call.refusal === null ? decodeTxStatus(requested)(call.result, testContext()) : txStatusRefused(call.refusal)
        expect(page!.rows.transactions).toEqual([])
        if (call.result?.status === 'Accepted') {
          const { blockHeight = null } = call.result
          const height = blockHeight === null ? null : Number(blockHeight)
          expect(JSON.parse(page!.next!)).toEqual({ tx_status: 'Accepted', height })
          kinds.accepted++
        } else {
          expect(page!.next).toBeNull()
          kinds.again++
        }
      }
      expect(kinds).toEqual(namespace === 'xvm' ? { accepted: 28, again: 2 } : { accepted: 18, again: 2 })
    },
  )

  test('give a row without content when they are rejected, and no row while their status is not final', () => {
    const requested = { network: 'local', blockchainId: 'X', txId: 'tx', namespace: 'xvm', fxs: null } as const
    const decode = decodeTxStatus(requested)
    const { rows, next } = decode({ status: 'Rejected' }, testContext())
    expectFits(nodeTransactions, rows.transactions)
    expect(rows.transactions).toMatchObject([{ tx_id: 'tx', tx_status: 'Rejected', tx_bytes: null, tx_json: null }])
    expect(next).toBeNull()
    for (const status of ['Processing', 'Unknown', 'Dropped', 'Later'])
      expect(decode({ status }, testContext())).toEqual({ rows: { transactions: [] }, items: [], next: null })
  })

  test('are requested without a status if the node has no status method; an atomic one then needs its block', () => {
    const page = txStatusRefused({ code: -32000, message: 'rpc: can\'t find method "avm.getTxStatus"' })
    expect(JSON.parse(page!.next!)).toEqual({ tx_status: null, height: null })
    expect(txStatusRefused({ code: -32000, message: 'database closed' })).toBeNull()
    const [call] = recordedCalls('avax.getAtomicTx').filter(({ result }) => result !== undefined)
    const requested = { ...chainOf(call!, 'C'), namespace: 'cx', txId: call!.params.txID } as const
    const { blockHeight, ...processing } = call!.result
    const rows = (result: object) => decodeTx(requested)(result, testContext(), page!.next).rows.transactions
    expect(rows(call!.result)).toMatchObject([{ height: Number(blockHeight), tx_status: null }])
    expect(rows(processing)).toEqual([])
  })

  test('are refused when their bytes are damaged', () => {
    const [call] = recordedCalls('avm.getTx').filter(({ result }) => result?.encoding === 'hex')
    const requested = { ...chainOf(call!, 'X'), namespace: 'xvm', txId: call!.params.txID } as const
    const { tx } = call!.result
    const damaged = (text: string) => () => decodeTx(requested)({ ...call!.result, tx: text }, testContext())
    expect(damaged(`${tx.slice(0, 20)}${tx[20] === '0' ? '1' : '0'}${tx.slice(21)}`)).toThrow('checksum')
    expect(damaged(tx.slice(0, -2))).toThrow('checksum')
    expect(damaged('0xzz')).toThrow('tx of the answer is no hexadecimal text')
    expect(damaged('0x')).toThrow('wrong length')
  })
})

describe('recorded blocks by id', () => {
  const cases = [
    { namespace: 'platform', chain: 'P', get: 'platform.getBlock', rows: 10 },
    { namespace: 'xvm', chain: 'X', get: 'avm.getBlock', rows: 4 },
  ] as const

  test.each(cases)('$get: rows have the bytes or the JSON of the answer', ({ namespace, chain, get, rows }) => {
    let found = 0
    const failures: string[] = []
    for (const call of recordedCalls(get)) {
      const requested = { ...chainOf(call, chain), namespace, blockId: call.params.blockID }
      if (call.refusal !== null) {
        if (blockRefused(call.refusal) === null) failures.push(call.refusal.message)
        continue
      }
      const context = testContext()
      const page = decodeBlock(requested)(call.result, context)
      expect(context.unknown).toEqual([])
      expectFits(nodeBlocks, page.rows.blocks)
      const [row] = page.rows.blocks
      const { block, encoding } = call.result
      if (encoding === 'json') {
        expect(parseLosslessJson(row!.block_json!)).toEqual(block)
        const { parentID, height } = block
        expect(row).toMatchObject({ parent_id: parentID, height: Number(height), block_id: block.id })
      } else {
        const checksum = encoding === 'hexnc' ? 0 : 8
        expect(`0x${Buffer.from(row!.block_bytes!).toString('hex')}`).toBe(block.slice(0, block.length - checksum))
      }
      expect(() => decodeBlock({ ...requested, blockId: requested.blockchainId })(call.result, context)).toThrow(
        /requested one/,
      )
      found++
    }
    expect(found).toBe(rows)
    for (const message of failures) expect(message).toMatch(unmarshalled)
  })

  test.each(cases)('$get: the columns are the same from bytes and from JSON', ({ namespace, chain, get }) => {
    const byId = new Map<string, object[]>()
    for (const call of recordedCalls(get).filter(({ refusal }) => refusal === null)) {
      const requested = { ...chainOf(call, chain), namespace, blockId: call.params.blockID }
      const [row] = decodeBlock(requested)(call.result, testContext()).rows.blocks
      const { block_type: _, encoding: __, block_bytes: ___, block_json: ____, ...columns } = row!
      byId.set(requested.blockId, [...(byId.get(requested.blockId) ?? []), columns])
    }
    for (const forms of byId.values()) for (const form of forms) expect(form).toEqual(forms[0])
    expect([...byId.values()].some((forms) => forms.length > 1)).toBe(true)
  })
})
