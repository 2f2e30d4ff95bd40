import { nodeHealth, nodeHealthReports } from '../schemas/node-state.ts'
import { decodeHealth } from '../src/decode/node/node.ts'
import { type List, type NodeGet, nodeCall, nodeStream, p, pipeline, theNode } from '../src/define/index.ts'
import { parameterError, subjectName } from './shared/parameters.ts'

const endpoints = ['root', 'health', 'readiness', 'liveness'] as const
const transports = ['get', 'rpc'] as const

export const healthPipeline = pipeline({
  name: 'health',
  comment: 'Health reports of a node, check by check.',
  parameters: {
    endpoints: p.list('Reports to request (default: all). root is GET /ext/health, the same as health.', {
      choices: endpoints,
    }),
    transports: p.list('Transport of the requests: get, rpc (default: both).', { choices: transports }),
    tags: p.list('Only checks with one of these tags, such as subnet ids, and global checks (default: all).', {
      pattern: { source: '^\\S+$', says: 'must be a text without spaces' },
    }),
  },
  reads: 'node',
  tables: { reports: nodeHealthReports, checks: nodeHealth },
  walks: ['snapshot'],
  streams: async (values, facts) => {
    const tags = [...new Set(values.tags)].sort()
    const wanted = endpoints.filter((name) => values.endpoints?.includes(name) ?? true)
    const ways = transports.filter((name) => values.transports?.includes(name) ?? true)
    const requested = wanted.flatMap((endpoint) =>
      ways.flatMap((transport) => (endpoint === 'root' && transport === 'rpc' ? [] : [{ endpoint, transport }])),
    )
    if (requested.length === 0)
      throw parameterError(
        'The job requests no report: root is a path and not a method.',
        'Add get to transports, or another endpoint.',
      )
    const { network } = await facts.node()
    const filters = {
      endpoints: wanted.length === endpoints.length ? undefined : wanted.join(','),
      transports: ways.length === transports.length ? undefined : ways.join(','),
      tags: tags.length === 0 ? undefined : tags,
    }
    const stream = nodeStream(network, 'health', filters)
    const name = subjectName('node', stream.parameters)
    const lists = requested.map(({ endpoint, transport }): List => {
      // The specification gives the method health.liveness no parameters.
      const own = endpoint === 'liveness' && transport === 'rpc' ? [] : tags
      const path = endpoint === 'root' ? '/ext/health' : `/ext/health/${endpoint}`
      // A node that reports itself unhealthy answers with HTTP 503.
      const get: NodeGet = { host: 'node', endpoint: theNode, path, method: 'GET', query: { tag: own }, answers: [503] }
      const call = nodeCall('/ext/health', `health.${endpoint}`, own.length === 0 ? {} : { tags: own })
      return {
        request: () => (transport === 'get' ? get : call),
        decode: decodeHealth({ endpoint, transport, network, subject: name, tags: own }),
      }
    })
    return [{ stream, walk: { kind: 'snapshot', subjects: [{ name, lists }] } }]
  },
})
