import { restEvmChains } from '../schemas/rest-tokens.ts'
import { listReader } from '../src/decode/list-reader.ts'
import { p, pipeline, type Requested, serviceStream } from '../src/define/index.ts'
import { requestOf, serviceRoutes } from '../src/sources/service-routes.ts'
import { lakeNetwork, network, subjectName } from './shared/parameters.ts'

export const restChainsList = listReader({ tables: { chains: restEvmChains }, items: 'chains', key: ['chain_id'] })

export const restChainsPipeline = pipeline({
  name: 'rest-chains',
  comment: 'EVM chains that the REST service knows.',
  parameters: {
    network,
    feature: p.text('Only chains with this feature: nftIndexing, webhooks or teleporter.', {
      choices: ['nftIndexing', 'webhooks', 'teleporter'],
    }),
  },
  tables: { chains: restEvmChains },
  reads: 'service',
  walks: ['snapshot'],
  streams: (values, { service: settings }) => {
    const network = lakeNetwork(values.network)
    const { feature } = values
    const name = subjectName('chains', { feature })
    const named = settings.networkInPath(network)
    const request = requestOf(serviceRoutes.chains, {}, { network: named, feature })
    const decode = restChainsList({ network, subject: name })
    const list = { request: () => request, decode, requested: askedOf(named) }
    const stream = serviceStream(network, 'rest-chains', { feature })
    return [{ stream, walk: { kind: 'snapshot', subjects: [{ name, lists: [list] }] } }]
  },
})

/** Whether chains belong to the network is unknown if the profile names the network differently. */
function askedOf(network: string): Requested {
  const isTestnet = { mainnet: 'false', fuji: 'true', testnet: 'true' }[network]
  return isTestnet === undefined ? {} : { values: [{ is_testnet: [isTestnet] }] }
}
