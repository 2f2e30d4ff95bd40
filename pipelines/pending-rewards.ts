import { restPendingRewards } from '../schemas/rest-transactions.ts'
import { listReader } from '../src/decode/list-reader.ts'
import { type DeclaredStream, pipeline, serviceStream } from '../src/define/index.ts'
import { serviceRoute } from '../src/sources/service-routes.ts'
import { bareAddresses } from './shared/addresses.ts'
import { addresses, lakeNetwork, network, nodeIds, pageSize, parameterError, subjectName } from './shared/parameters.ts'
import { commaSeparated, filterChunks, listOf } from './shared/service.ts'

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
    const { addresses = [], 'node-ids': nodeIds = [] } = values
    if (addresses.length === 0 && nodeIds.length === 0)
      throw parameterError(
        'Pending rewards are listed for addresses or nodes only, and the job names none.',
        'Give addresses, node-ids or both.',
      )
    const network = lakeNetwork(values.network)
    const parts = { network: settings.networkInPath(network) }
    const streamOf = (owners: readonly string[] | undefined, nodes: readonly string[] | undefined): DeclaredStream => {
      const stream = serviceStream(network, 'pending-rewards', { addresses: owners, nodeIds: nodes })
      const subject = subjectName('pending-rewards', stream.parameters)
      const query = {
        addresses: commaSeparated(owners),
        nodeIds: commaSeparated(nodes),
        pageSize: values['page-size'] ?? pendingRewardsRoute.mostItems,
        sortOrder: 'asc',
      }
      // With both filters, a service may apply either or both.
      const requested = { values: [{ ...(owners && { addresses: owners }), ...(nodes && { node_id: nodes }) }] }
      const list = listOf(pendingRewardsRoute, parts, query, pendingRewardsList({ network, subject }), requested)
      return { stream, walk: { kind: 'snapshot', subjects: [{ name: subject, lists: [list] }] } }
    }
    return filterChunks(bareAddresses(network, addresses), settings.getAddresses).flatMap((owners) =>
      filterChunks(nodeIds, settings.getAddresses).map((nodes) => streamOf(owners, nodes)),
    )
  },
})
