import { nodeVmConfig } from '../schemas/node-vm-config.ts'
import { decodeVmConfig } from '../src/decode/node/vm-config.ts'
import { nodeStream, pipeline, theNode } from '../src/define/index.ts'
import { nodeChains } from './shared/node-chain.ts'
import { blockchainIds } from './shared/node-parameters.ts'
import { unitPages } from './shared/service-parameters.ts'

export const vmConfigPipeline = pipeline({
  name: 'vm-config',
  comment: 'Configuration of the EVM of a node, if its admin API is enabled. Nodes since Helicon no longer have it.',
  parameters: {
    'blockchain-ids': blockchainIds('EVM chains to request the configuration of (default: the C-Chain).'),
    'unit-pages': unitPages,
  },
  reads: 'node',
  tables: { config: nodeVmConfig },
  walks: ['snapshot'],
  streams: async ({ 'blockchain-ids': ids = ['C'] }, facts) => {
    const identity = await facts.node()
    const { network } = identity
    const chains = nodeChains(identity, ids)
    const subjects = chains.map(({ blockchainId, path }) => {
      const place = { network, blockchainId, subject: `chain/${blockchainId}` }
      const request = {
        host: 'node',
        endpoint: theNode,
        path: `${path}/admin`,
        method: 'admin_getVMConfig',
        params: {},
      } as const
      return { name: place.subject, lists: [{ request: () => request, decode: decodeVmConfig(place) }] }
    })
    const stream = nodeStream(network, 'vm-config', {
      'blockchain-ids': chains.map(({ blockchainId }) => blockchainId),
    })
    return [{ stream, walk: { kind: 'snapshot', subjects } }]
  },
})
