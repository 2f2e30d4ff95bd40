import { identity, month, type RowOf, t } from '../src/define/index.ts'
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
  lasting: ['tx_id', 'output_index', 'node_id', 'reward_type', 'reward_tx_id', 'asset_id', 'amount', 'start_time'],
  streamValues: [{ column: 'currency', parameter: 'currency' }],
  unproven: {
    never: [
      'reward_type',
      'start_time',
      'reward_tx_id',
      'asset_name',
      'asset_symbol',
      'asset_denomination',
      'asset_type',
      'price_currency',
      'price',
    ],
    partly: [
      'utxo_id',
      'tx_id',
      'output_index',
      'node_id',
      'end_time',
      'staked_amount',
      'asset_id',
      'amount',
      'addresses',
    ],
  },
  columns: {
    ...networkColumn,
    utxo_id: t.cb58('Id of the UTXO that pays the reward.'),
    currency: t.text('Currency that the job requested, such as usd.'),
    tx_id: t.cb58('Staking transaction; for the fee of a validator that of the delegator. Not unique.'),
    output_index: t.int64('Index of the UTXO.'),
    node_id: t.address('Node id, NodeID-….'),
    addresses: t.list(t.address('Address.'), 'Addresses that received the reward, bech32 without chain prefix.'),
    reward_type: t.text('VALIDATOR, DELEGATOR or VALIDATOR_FEE; unknown names are kept.'),
    start_time: t.timestamp('Start of the staking (UTC): time of the block.'),
    end_time: t.timestamp('End of the staking (UTC).'),
    staked_amount: t.u64('Stake in nAVAX (amountStaked in the API).'),
    reward_tx_id: t.cb58('Transaction that paid the reward.'),
    asset_id: t.address('Asset of the reward.'),
    amount: t.u64('Reward in the least unit of the asset (AVAX: nAVAX).'),
    asset_name: t.text('Name of the asset; null where the service leaves it out.', nullable),
    asset_symbol: t.text('Symbol of the asset; null where the service leaves it out.', nullable),
    asset_denomination: t.int64('Decimal places of the asset; null where the service leaves it out.', nullable),
    asset_type: t.text('Kind of the asset: secp256k1, nft; null where the service leaves it out.', nullable),
    price_currency: t.text('Currency of the price, as the service returns it; null without a price.', nullable),
    price: t.double(
      'Price of one whole unit of the asset (such as 1 AVAX) at that time in the requested currency; null without one.',
      nullable,
    ),
  },
})
export type RestReward = RowOf<typeof restRewards>
