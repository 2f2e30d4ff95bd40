import { type NodeBlockchain, nodeBlockchains } from '../schemas/node-blockchains.ts'
import { itemsByKey } from '../src/decode/json/items-by-key.ts'
import { blockchainRow, readBlockchainStatus, readBlockchains } from '../src/decode/node/blockchains.ts'
import { type List, type NodeCall, nodeStream, pipeline, theNode } from '../src/define/index.ts'
import { subjectName } from './shared/evm-lists.ts'
import { listThenItems } from './shared/list-then-items.ts'
import { blockchainIds } from './shared/node-parameters.ts'
import { unitPages } from './shared/service-parameters.ts'

export const blockchainsPipeline = pipeline({
  name: 'blockchains',
  comment: 'Blockchains that a node knows, each with its status there.',
  parameters: {
    'blockchain-ids': blockchainIds(
      'Request the status of these blockchains only, with one request each (default: all). The other blockchains get a row without a status.',
    ),
    'unit-pages': unitPages,
  },
  reads: 'node',
  tables: { blockchains: nodeBlockchains },
  walks: ['snapshot'],
  streams: async ({ 'blockchain-ids': ids }, facts) => {
    const { network } = await facts.node()
    const stream = nodeStream(network, 'blockchains', { 'blockchain-ids': ids })
    const name = subjectName('blockchains', stream.parameters)
    const lists = [blockchainList({ network, subject: name }, ids)]
    return [{ stream, walk: { kind: 'snapshot', subjects: [{ name, lists }] } }]
  },
})

/** The list, then the status of each chain. A requested chain that is not in the list, such as the P-Chain, still gets a row. */
function blockchainList(place: { network: string; subject: string }, ids: readonly string[] | undefined): List {
  const call = (method: string, params: object): NodeCall => ({
    host: 'node',
    endpoint: theNode,
    path: '/ext/bc/P',
    method,
    params: { ...params },
  })
  return listThenItems<NodeBlockchain>({
    list: {
      request: call('platform.getBlockchains', {}),
      read: (answer, context) => {
        const listed = readBlockchains(answer, context, place)
        const byId = itemsByKey(listed, 'blockchain_id')
        const requested = ids ?? [...byId.keys()]
        const items = new Map(requested.map((id) => [id, byId.get(id) ?? blockchainRow(id, context, place)]))
        return { rows: { blockchains: listed.filter((row) => !items.has(row.blockchain_id)) }, items }
      },
    },
    item: {
      request: (id) => call('platform.getBlockchainStatus', { blockchainID: id }),
      read: (answer, context, row) => ({
        blockchains: [{ ...row, blockchain_status: readBlockchainStatus(answer, context) }],
      }),
    },
    none: { blockchains: [] },
  })
}
