import { describe, expect, test } from 'vitest'
import { nodeTxpool } from '../../../schemas/node-state.ts'
import { decodeTxpool, txpoolRefused } from '../../../src/decode/node/evm.ts'
import { stateCalls } from '../../recorded-state.ts'
import { expectFits } from '../service/expect-fits.ts'
import { testContext } from '../service/reading.ts'
import { expectSaid, type Renamed } from './expect-said.ts'

const place = { network: 'local', subject: '43112', chainId: '43112' }
const decode = decodeTxpool(place)
const [{ result: recorded } = expect.fail()] = stateCalls('txpool_content')

/** Fields that say nothing of a waiting transaction, and its signature. */
const left = ['blockHash', 'blockNumber', 'transactionIndex', 'v', 'r', 's', 'yParity']
const renamed: Renamed = {
  ...Object.fromEntries(left.map((name) => [name, null])),
  ...{ from: 'from_address', to: 'to_address', gas: 'gas_limit', hash: 'transaction_hash', chainId: 'signed_chain_id' },
  type: 'transaction_type',
}

describe('the recorded pool of a node', () => {
  test('gives a row for each transaction, with every unsigned field', () => {
    const context = testContext()
    const { rows } = decode(recorded, context)
    expect(context.unknown).toEqual([])
    expectFits(nodeTxpool, rows.transactions)
    const said = ['pending', 'queued'].flatMap((pool) =>
      Object.entries(recorded[pool]).flatMap(([sender, byNonce]) =>
        Object.entries(byNonce as object).map(([nonce, transaction]) => ({ pool, sender, nonce, transaction })),
      ),
    )
    expect(said.length).toBe(4)
    for (const [at, { pool, sender, nonce, transaction }] of said.entries()) {
      const row = rows.transactions[at]!
      expect(row).toMatchObject({ network: 'local', chain_id: '43112', pool, nonce: BigInt(nonce) })
      expect(row).toMatchObject({ from_address: sender.toLowerCase(), value_raw: '5' })
      const { accessList, ...others } = transaction
      expect(expectSaid(nodeTxpool, row, others, renamed)).toBe(
        Object.keys(others).length - left.filter((name) => name in others).length,
      )
      const list = accessList?.map(({ address, storageKeys }: any) => ({ address, storage_keys: storageKeys })) ?? null
      expect(row.access_list).toEqual(list)
    }
    expect(rows.transactions.map((row) => [row.pool, row.transaction_type])).toEqual([
      ['pending', 2],
      ['pending', 0],
      ['queued', 2],
      ['queued', 1],
    ])
  })

  test('may be empty, and reports pools and fields that it does not know', () => {
    expect(decode({ pending: {}, queued: {} }, testContext()).rows.transactions).toEqual([])
    const context = testContext()
    const [[sender, byNonce] = expect.fail()] = Object.entries(recorded.pending)
    const [[nonce, transaction] = expect.fail()] = Object.entries(byNonce as object)
    const pending = { [sender]: { [nonce]: { ...transaction, news: '0x1' } } }
    expect(decode({ pending, queued: {}, private: {} }, context).rows.transactions.length).toBe(1)
    expect(context.unknown).toEqual(['private', 'transaction.news'])
  })

  test('is refused if a transaction is not in its place', () => {
    const [[sender, byNonce] = expect.fail()] = Object.entries(recorded.pending)
    const [[nonce, transaction] = expect.fail()] = Object.entries(byNonce as object)
    const of = (at: string, number: string) =>
      decode({ pending: { [at]: { [number]: transaction } }, queued: {} }, testContext())
    expect(() => of(`0x${'0'.repeat(40)}`, nonce)).toThrow('from is not 0x0')
    expect(() => of(sender, '7')).toThrow('nonce is not 7, as in the pool')
    expect(() => decode({ pending: {} }, testContext())).toThrow('queued is missing')
    expect(() => decode({ pending: [], queued: {} }, testContext())).toThrow('pending is no object')
    expect(() => decode(null, testContext())).toThrow('The answer to txpool_content is no object')
  })
})

test('a node without the API is a failure with what to enable', () => {
  const [{ error } = expect.fail()] = stateCalls('txpool_content', 'debug-off')
  expect(() => txpoolRefused(error!)).toThrow(
    expect.objectContaining({ code: 'evm.no-method', hint: expect.stringMatching(/internal-tx-pool/) }),
  )
  expect(txpoolRefused({ code: -32000, message: 'busy' })).toBeNull()
})
