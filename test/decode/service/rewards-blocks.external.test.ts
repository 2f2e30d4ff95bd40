import { describe, expect, test } from 'vitest'
import { rewardsList } from '../../../pipelines/rewards.ts'
import { restRewards } from '../../../schemas/rest-rewards.ts'
import { sampleAnswer } from '../../external-data.ts'
import { expectFits } from './expect-fits.ts'
import { testContext } from './reading.ts'

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
