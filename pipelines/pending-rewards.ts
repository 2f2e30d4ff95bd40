import { restPendingRewards } from '../schemas/rest-transactions.ts'
import { listReader } from '../src/decode/list-reader.ts'
import { pipeline, serviceStream } from '../src/define/index.ts'
import { serviceRoute } from '../src/sources/service-routes.ts'
import { addresses, network, nodeIds, pageSize, subjectName } from './shared/parameters.ts'
import { listOf, ownersAtOnce } from './shared/service.ts'

export const pendingRewardsRoute = serviceRoute('/v1/networks/{network}/rewards:listPending', 'xl', 100)

/** Rewards of stakes that have not ended (OpenAPI PendingReward). */
export const pendingRewardsList = listReader({
  tables: { rewards: restPendingRewards },
  items: 'pendingRewards',
  key: ['tx_id', 'reward_type'],
})

export const pendingRewardsPipeline = pipeline({
  name: 'pending-rewards',
  comment: 'Rewards that addresses or nodes of the Primary Network can expect of stakes that have not ended.',
  parameters: {
    network,
    addresses,
    'node-ids': nodeIds,
    'page-size': pageSize(pendingRewardsRoute.mostItems),
  },
  tables: { rewards: restPendingRewards },
  reads: 'service',
  walks: ['snapshot'],
  streams(values, { service: settings }) {
    return ownersAtOnce('Pending rewards', values, settings).map(({ network, parts, owners, query, requested }) => {
      const stream = serviceStream(network, 'pending-rewards', owners)
      const name = subjectName('pending-rewards', stream.parameters)
      const page = { ...query, pageSize: values['page-size'], sortOrder: 'asc' }
      const list = listOf(pendingRewardsRoute, parts, page, pendingRewardsList({ network, subject: name }), requested)
      return { stream, walk: { kind: 'snapshot', subjects: [{ name, lists: [list] }] } }
    })
  },
})
