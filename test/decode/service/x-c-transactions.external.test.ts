import { describe, expect, test } from 'vitest'
import { xTransactionsList } from '../../../pipelines/rest-transactions.ts'
import { restXTransactions } from '../../../schemas/rest-x-transactions.ts'
import { sampleAnswer } from '../../external-data.ts'
import { expectFits } from './expect-fits.ts'
import { testContext } from './reading.ts'

const chain = { network: 'fuji', blockchainId: 'chain', requested: { network: 'fuji', chain: 'X' } } as const
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
