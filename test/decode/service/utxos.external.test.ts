import { describe, expect, test } from 'vitest'
import { restUtxosList } from '../../../pipelines/rest-utxos.ts'
import { restUtxos } from '../../../schemas/rest-utxos.ts'
import { sampleAnswer } from '../../external-data.ts'
import { expectFits } from './expect-fits.ts'
import { testContext } from './reading.ts'

const decode = restUtxosList({ network: 'fuji', blockchainId: 'chain', requested: { network: 'fuji', chain: 'P' } })

describe('captured UTXOs', () => {
  test('of the test network decode', () => {
    const context = testContext()
    const { rows } = decode(sampleAnswer('dataapi_pchain_utxo_fuji'), context)
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
    const { rows } = decode(sampleAnswer('dataapi_pchain_utxos'), context)
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
