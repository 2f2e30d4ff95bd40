import { nodeSubnets } from '../schemas/node-state.ts'
import { answerObject, finish, id, ignore, objects } from '../src/decode/json/fields.ts'
import { listReader } from '../src/decode/list-reader.ts'
import { mustList } from '../src/decode/node/node.ts'
import { nodeCall, nodeStream, p, pipeline } from '../src/define/index.ts'
import { idRule, listThenItems, primarySubnet } from './shared/node.ts'
import { subjectName } from './shared/parameters.ts'

/** What a node knows of a subnet (platform.getSubnet). */
export const subnetList = listReader({ tables: { subnets: nodeSubnets }, items: null, token: null })

export const subnetsPipeline = pipeline({
  name: 'subnets',
  comment: 'Subnets and L1s that a node knows, with their owners and validator managers. One request per subnet.',
  parameters: {
    subnets: p.list('Only these subnets (default: all that the node lists).', { pattern: idRule('a subnet') }),
  },
  reads: 'node',
  tables: { subnets: nodeSubnets },
  walks: ['snapshot'],
  streams: async ({ subnets: ids }, facts) => {
    const { network } = await facts.node()
    const stream = nodeStream(network, 'subnets', { subnets: ids })
    const subject = subjectName('subnets', stream.parameters)
    const call = (method: string, params: object) => nodeCall('/ext/bc/P', method, { ...params })
    const list = listThenItems<string>({
      list: {
        request: call('platform.getSubnets', ids === undefined ? {} : { ids }),
        read: (answer, context) => {
          const at = answerObject(answer, 'answer', context)
          const listed = objects(at, 'subnets', (subnet) => {
            // The answer about each subnet has its owner too, completely.
            ignore(subnet, 'controlKeys', 'threshold')
            return id(subnet, 'id')
          })
          finish(at)
          // A node lists the Primary Network too, and refuses to describe it: it is no subnet.
          mustList(ids !== undefined || listed.includes(primarySubnet), 'subnets', 'the Primary Network', listed)
          const found = listed.filter((subnetId) => subnetId !== primarySubnet)
          return { rows: { subnets: [] }, items: new Map(found.map((subnetId) => [subnetId, subnetId])) }
        },
      },
      item: {
        request: (subnetId) => call('platform.getSubnet', { subnetID: subnetId }),
        read: (answer, context, subnetId) =>
          subnetList({ network, subnet_id: subnetId, subject })(answer, context).rows,
      },
      none: { subnets: [] },
    })
    return [{ stream, walk: { kind: 'snapshot', subjects: [{ name: subject, lists: [list] }] } }]
  },
})
