import { restRewards } from '../schemas/rest-transactions.ts'
import { listReader } from '../src/decode/list-reader.ts'
import { type DeclaredStream, p, pipeline, serviceStream } from '../src/define/index.ts'
import { serviceRoute } from '../src/sources/service-routes.ts'
import { bareAddresses } from './shared/addresses.ts'
import {
  addresses,
  lakeNetwork,
  network,
  nodeIds,
  pageSize,
  parameterError,
  trailingSeconds,
} from './shared/parameters.ts'
import {
  commaSeparated,
  defaultTrailing,
  filterChunks,
  knownListWalk,
  listOf,
  orderInStream,
} from './shared/service.ts'

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
    const { addresses = [], 'node-ids': nodeIds = [], currency = 'usd' } = values
    if (addresses.length === 0 && nodeIds.length === 0)
      throw parameterError(
        'Rewards are listed for addresses or nodes only, and the job names none.',
        'Give addresses, node-ids or both.',
      )
    const network = lakeNetwork(values.network)
    const parts = { network: settings.networkInPath(network) }
    const order = values['sort-order']
    const stream = (chunk: readonly string[] | undefined, nodes: readonly string[] | undefined): DeclaredStream => {
      const query = {
        addresses: commaSeparated(chunk),
        nodeIds: commaSeparated(nodes),
        currency,
        pageSize: values['page-size'] ?? rewardsRoute.mostItems,
      }
      // With both filters, a service may apply either or both.
      const requested = {
        values: [{ ...(chunk && { addresses: chunk }), ...(nodes && { node_id: nodes }) }],
      }
      const list = (sortOrder: 'asc' | 'desc') =>
        listOf(rewardsRoute, parts, { ...query, sortOrder }, rewardsList({ network, currency }), requested)
      const selected = { addresses: chunk, nodeIds: nodes, currency, sortOrder: orderInStream(order) }
      return {
        stream: serviceStream(network, 'rewards', selected),
        walk: knownListWalk(list, order, values['trailing-seconds'] ?? defaultTrailing),
      }
    }
    // Every address with every node: no reward is missing, whether the service combines both filters or applies one.
    return filterChunks(bareAddresses(network, addresses), settings.getAddresses).flatMap((chunk) =>
      filterChunks(nodeIds, settings.getAddresses).map((nodes) => stream(chunk, nodes)),
    )
  },
})
