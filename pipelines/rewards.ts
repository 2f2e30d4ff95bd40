import { restRewards } from '../schemas/rest-transactions.ts'
import { listReader } from '../src/decode/list-reader.ts'
import { p, pipeline, serviceStream } from '../src/define/index.ts'
import { serviceRoute } from '../src/sources/service-routes.ts'
import { addresses, network, nodeIds, pageSize, trailingSeconds } from './shared/parameters.ts'
import { defaultTrailing, knownListWalk, listOf, orderInStream, ownersAtOnce } from './shared/service.ts'

export const rewardsRoute = serviceRoute('/v1/networks/{network}/rewards', 'xl', 100)

/** Historical rewards (specification 2.9 and 4.6). */
export const rewardsList = listReader({
  tables: { rewards: restRewards },
  items: 'historicalRewards',
  ignoreInAnswer: ['chainInfo'],
  key: ['utxo_id'],
  time: 'end_time',
})

const currencies = 'usd eur aud cad chf clp cny czk dkk gbp hkd huf jpy nzd'.split(' ')

export const rewardsPipeline = pipeline({
  name: 'rewards',
  comment: 'Staking rewards paid to addresses or nodes of the Primary Network, with the price at that time.',
  parameters: {
    network,
    addresses,
    'node-ids': nodeIds,
    currency: p.text('Currency of the prices (default: usd).', { choices: currencies }),
    'page-size': pageSize(rewardsRoute.mostItems),
    'sort-order': p.text('End to begin with: desc (default) the newest, asc the oldest.', {
      choices: ['asc', 'desc'],
    }),
    'trailing-seconds': trailingSeconds,
  },
  tables: { rewards: restRewards },
  reads: 'service',
  walks: ['pageChain', 'oldestFirst'],
  streams(values, { service: settings }) {
    const { currency = 'usd', 'sort-order': order, 'trailing-seconds': trailing = defaultTrailing } = values
    return ownersAtOnce('Rewards', values, settings).map(({ network, parts, owners, query, requested }) => {
      const list = (sortOrder: 'asc' | 'desc') =>
        listOf(
          rewardsRoute,
          parts,
          { ...query, currency, pageSize: values['page-size'], sortOrder },
          rewardsList({ network, currency }),
          requested,
        )
      const selected = { ...owners, currency, sortOrder: orderInStream(order) }
      return { stream: serviceStream(network, 'rewards', selected), walk: knownListWalk(list, order, trailing) }
    })
  },
})
