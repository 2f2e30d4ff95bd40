import type { RestReward } from '../../../schemas/rest-rewards.ts'
import type { Page, ReadingContext } from '../../define/index.ts'
import { assetAmount } from '../json/asset-fields.ts'
import { object, optionalObject, type Reading } from '../json/fields.ts'
import { optionalFraction, time, u32, u64 } from '../json/number-fields.ts'
import { id, nodeId, optionalWord, owners, word } from '../json/text-fields.ts'
import { listPage, secondsOf } from './list-page.ts'

/** Reads historical rewards (specification 2.9 and 4.6). `currency` is the requested currency. */
export function decodeRewards(network: string, currency: string) {
  return (answer: unknown, context: ReadingContext): Page => {
    const { rows, items, next } = listPage(
      answer,
      context,
      'historicalRewards',
      null,
      (at) => rewardRow(at, network, currency),
      ({ utxo_id, end_time }) => ({ key: utxo_id, time: secondsOf(end_time) }),
    )
    return { rows: { rewards: rows }, items, next }
  }
}

function rewardRow(at: Reading, network: string, currency: string): RestReward {
  return {
    network,
    utxo_id: id(at, 'utxoId'),
    currency,
    tx_id: id(at, 'txHash'),
    output_index: u32(at, 'outputIndex'),
    node_id: nodeId(at, 'nodeId'),
    addresses: owners(at, 'addresses'),
    reward_type: word(at, 'rewardType'),
    start_time: time(at, 'startTimestamp'),
    end_time: time(at, 'endTimestamp'),
    staked_amount: u64(at, 'amountStaked'),
    reward_tx_id: id(at, 'rewardTxHash'),
    ...object(at, 'reward', rewardColumns),
  }
}

function rewardColumns(at: Reading) {
  const price = optionalObject(at, 'historicalPrice', (inner) => ({
    price_currency: optionalWord(inner, 'currencyCode'),
    price: optionalFraction(inner, 'value'),
  }))
  return { ...assetAmount(at), ...(price ?? { price_currency: null, price: null }) }
}
