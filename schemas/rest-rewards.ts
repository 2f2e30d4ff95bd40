import { identity, month, t } from '../src/define/index.ts'
import { networkColumn } from './shared/block-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const restRewards = table({
  name: 'rest_rewards',
  comment: 'One row per paid staking reward of the Primary Network and requested price currency.',
  key: ['network', 'utxo_id', 'currency'],
  sortBy: ['end_time', 'utxo_id'],
  partitionBy: [identity('network'), month('end_time')],
  rowGroup: 'nested',
  streamValues: [{ column: 'currency', parameter: 'currency' }],
  columns: {
    ...networkColumn,
    utxo_id: t.cb58('Id of the UTXO that pays the reward.').at('utxoId').partlyUnproven(),
    currency: t.text('Currency that the job requested, such as usd.'),
    tx_id: t
      .cb58('Staking transaction; for the fee of a validator that of the delegator. Not unique.')
      .at('txHash')
      .lasting()
      .partlyUnproven(),
    output_index: t.int64('Index of the UTXO.').at('outputIndex', 'u32').lasting().partlyUnproven(),
    node_id: t.address('Node id, NodeID-….').at('nodeId', 'nodeId').lasting().partlyUnproven(),
    addresses: t
      .list(t.address('Address.'), 'Addresses that received the reward, bech32 without chain prefix.')
      .at('addresses', 'owner')
      .partlyUnproven(),
    reward_type: t
      .text('VALIDATOR, DELEGATOR or VALIDATOR_FEE; unknown names are kept.')
      .at('rewardType', 'word')
      .lasting()
      .unproven(),
    start_time: t.timestamp('Start of the staking (UTC): time of the block.').at('startTimestamp').lasting().unproven(),
    end_time: t.timestamp('End of the staking (UTC).').at('endTimestamp').partlyUnproven(),
    staked_amount: t.u64('Stake in nAVAX (amountStaked in the API).').at('amountStaked').partlyUnproven(),
    reward_tx_id: t.cb58('Transaction that paid the reward.').at('rewardTxHash').lasting().unproven(),
    asset_id: t.address('Asset of the reward.').at('reward.assetId', 'id').lasting().partlyUnproven(),
    amount: t
      .u64('Reward in the least unit of the asset (AVAX: nAVAX).')
      .at('reward.amount')
      .lasting()
      .partlyUnproven(),
    asset_name: t
      .text('Name of the asset; null where the service leaves it out.', nullable)
      .at('reward.name')
      .unproven(),
    asset_symbol: t
      .text('Symbol of the asset; null where the service leaves it out.', nullable)
      .at('reward.symbol')
      .unproven(),
    asset_denomination: t
      .int64('Decimal places of the asset; null where the service leaves it out.', nullable)
      .at('reward.denomination', 'u8')
      .unproven(),
    asset_type: t
      .text('Kind of the asset: secp256k1, nft; null where the service leaves it out.', nullable)
      .at('reward.type', 'word')
      .unproven(),
    price_currency: t
      .text('Currency of the price, as the service returns it; null without a price.', nullable)
      .at('reward.historicalPrice.currencyCode', 'word')
      .unproven(),
    price: t
      .double(
        'Price of one whole unit of the asset (such as 1 AVAX) at that time in the requested currency; null without one.',
        nullable,
      )
      .at('reward.historicalPrice.value')
      .unproven(),
  },
})
