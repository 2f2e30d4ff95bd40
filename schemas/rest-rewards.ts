import { identity, month, type RowOf, t } from '../src/define/index.ts'
import { networkColumn } from './shared/block-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const restRewards = table({
  name: 'rest_rewards',
  comment: 'One row per paid staking reward of the primary network and currency that prices were asked in.',
  key: ['network', 'utxo_id', 'currency'],
  sortBy: ['end_time', 'utxo_id'],
  partitionBy: [identity('network'), month('end_time')],
  rowGroup: 'nested',
  lasting: ['tx_id', 'output_index', 'node_id', 'reward_type', 'reward_tx_id', 'asset_id', 'amount'],
  columns: {
    ...networkColumn,
    utxo_id: t.cb58('UTXO that pays the reward.'),
    currency: t.text('Currency that the job asked for, such as usd.'),
    tx_id: t.cb58("Staking transaction; of a validator's fee that of the delegator, so not unique."),
    output_index: t.int64('Index of the UTXO.'),
    node_id: t.address('Node.'),
    addresses: t.list(t.address('Address.'), 'Who got the reward, without chain prefix.'),
    reward_type: t.text('VALIDATOR, DELEGATOR or VALIDATOR_FEE; names that are not known pass.'),
    start_time: t.timestamp('Start of the staking (UTC): the time of its block.'),
    end_time: t.timestamp('End of the staking (UTC).'),
    staked_amount: t.u64('Stake (amountStaked of the service) in the least unit of the native asset.'),
    reward_tx_id: t.cb58('Transaction that paid the reward.'),
    asset_id: t.address('Asset of the reward.'),
    amount: t.u64('The reward in the least unit of the asset.'),
    asset_name: t.text('Name of the asset; null where the service leaves it out.', nullable),
    asset_symbol: t.text('Symbol of the asset; null where the service leaves it out.', nullable),
    asset_denomination: t.int64('Decimal places of the asset; null where the service leaves it out.', nullable),
    asset_type: t.text('Kind of the asset: secp256k1, nft; null where the service leaves it out.', nullable),
    price_currency: t.text('Currency of the price as the service states it; null without a price.', nullable),
    price: t.double('Price of one unit of the asset at that time; null without one.', nullable),
  },
})
export type RestReward = RowOf<typeof restRewards>
