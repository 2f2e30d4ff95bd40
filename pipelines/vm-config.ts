import { nodeVmConfig } from '../schemas/node-state.ts'
import { ignore } from '../src/decode/json/fields.ts'
import { jsonText } from '../src/decode/json/kinds.ts'
import { listReader } from '../src/decode/list-reader.ts'
import { nodeCall, nodeStream, pipeline } from '../src/define/index.ts'
import { answeredSubject, blockchainIds, nodeChains } from './shared/node.ts'

const tables = { config: nodeVmConfig }

/**
 * Reads the configuration of an EVM chain (admin_getVMConfig, specification 4.2). The column `config` holds all settings, so none is reported
 * as unknown.
 */
export const vmConfigList = listReader({
  tables,
  items: 'config',
  isOne: true,
  token: null,
  complete(row, settings) {
    row.config = jsonText(settings.object)
    ignore(settings, ...Object.keys(settings.object))
  },
})

export const vmConfigPipeline = pipeline({
  name: 'vm-config',
  comment: 'Configuration of the EVM of a node, if its admin API is enabled. Nodes since Helicon no longer have it.',
  parameters: {
    'blockchain-ids': blockchainIds('EVM chains to request the configuration of (default: the C-Chain).'),
  },
  reads: 'node',
  tables,
  walks: ['snapshot'],
  streams: async ({ 'blockchain-ids': ids = ['C'] }, facts) => {
    const identity = await facts.node()
    const { network } = identity
    const chains = nodeChains(identity, ids)
    const subjects = chains.map(({ blockchainId, path }) => {
      const place = { network, blockchain_id: blockchainId, subject: `chain/${blockchainId}` }
      const call = nodeCall(`${path}/admin`, 'admin_getVMConfig')
      return answeredSubject(place.subject, call, { decode: vmConfigList(place) })
    })
    const stream = nodeStream(network, 'vm-config', {
      'blockchain-ids': chains.map(({ blockchainId }) => blockchainId),
    })
    return [{ stream, walk: { kind: 'snapshot', subjects } }]
  },
})
