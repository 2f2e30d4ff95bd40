import { restValidators } from '../schemas/rest-networks.ts'
import { contradiction, type Reading, raw } from '../src/decode/json/fields.ts'
import { listReader } from '../src/decode/list-reader.ts'
import { p, pipeline, serviceStream } from '../src/define/index.ts'
import { serviceRoute } from '../src/sources/service-routes.ts'
import { idPattern, lakeNetwork, network, nodeIds, pageSize, subjectName } from './shared/parameters.ts'
import { commaSeparated, filterChunks, listOf, requestedValues } from './shared/service.ts'

/** Pending, active, completed and removed validators, each with the fields that its status has. */
export const restValidatorsList = listReader({
  tables: { validators: restValidators },
  items: 'validators',
  complete: (_, validator) => refuseBothRewards(validator),
  // One transaction can add several validators.
  key: ['tx_id', 'node_id'],
})

/** Throws `DecodeError` for an item with the rewards of a completed validator and the possible ones of an active validator. */
function refuseBothRewards(at: Reading): void {
  const [paid, possible] = [raw(at, 'rewards'), raw(at, 'potentialRewards')]
  if (paid !== undefined && possible !== undefined)
    throw contradiction(at, 'rewards', paid, 'potentialRewards', possible)
}

export const restValidatorsRoute = serviceRoute('/v1/networks/{network}/validators', 'medium', 100)
export const restValidatorsPipeline = pipeline({
  name: 'rest-validators',
  comment:
    'Validators of the Primary Network and of subnets, with rewards, uptime and location: pending, active, completed and removed ones, from the REST service.',
  parameters: {
    network,
    status: p.text('Only validators with this status (default: all).', {
      choices: ['pending', 'active', 'completed', 'removed'],
    }),
    'subnet-id': p.text('Only validators of this subnet (default: all).', {
      pattern: { source: `^${idPattern}$`, says: 'must be the id of a subnet' },
    }),
    'node-ids': nodeIds,
    'page-size': pageSize(restValidatorsRoute.mostItems),
  },
  tables: { validators: restValidators },
  reads: 'service',
  walks: ['snapshot'],
  streams: (values, { service: settings }) => {
    const network = lakeNetwork(values.network)
    const { status, 'subnet-id': subnetId, 'page-size': pageSize } = values
    return filterChunks(values['node-ids'], settings.getAddresses).map((nodes) => {
      const stream = serviceStream(network, 'rest-validators', { status, 'subnet-id': subnetId, 'node-ids': nodes })
      const subject = subjectName('validators', stream.parameters)
      const query = {
        validationStatus: status,
        subnetId,
        nodeIds: commaSeparated(nodes),
        // New validators appear at the end, so that the pages before it do not move.
        sortBy: 'blockIndex',
        sortOrder: 'asc',
        pageSize,
      }
      const filters = {
        values: requestedValues({ validation_status: status, subnet_id: subnetId, node_id: nodes }),
      }
      const parts = { network: settings.networkInPath(network) }
      const list = listOf(restValidatorsRoute, parts, query, restValidatorsList({ network, subject }), filters)
      return { stream, walk: { kind: 'snapshot', subjects: [{ name: subject, lists: [list] }] } }
    })
  },
})
