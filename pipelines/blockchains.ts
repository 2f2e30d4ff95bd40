import { nodeBlockchains } from '../schemas/node-state.ts'
import { answerObject, finish, id, text, word } from '../src/decode/json/fields.ts'
import { listReader } from '../src/decode/list-reader.ts'
import { mustList, type NodePlace } from '../src/decode/node/node.ts'
import {
  type List,
  type NetworkIdentity,
  nodeCall,
  nodeStream,
  pipeline,
  type ReadingContext,
  type RowOf,
} from '../src/define/index.ts'
import { blockchainIds, itemsByKey, listThenItems } from './shared/node.ts'
import { subjectName } from './shared/parameters.ts'

const tables = { blockchains: nodeBlockchains }

/** The blockchains that a node lists (platform.getBlockchains, specification 4.3: all except the P-Chain), without their status. */
export const blockchainsList = listReader({
  tables,
  items: 'blockchains',
  token: null,
  // The columns are null for chains that the node does not list. A listed chain has them.
  complete(_, chain) {
    text(chain, 'name')
    id(chain, 'subnetID')
    word(chain, 'vmID')
  },
})

/** Reads the status of a blockchain (platform.getBlockchainStatus). */
export function readBlockchainStatus(answer: unknown, context: ReadingContext): string {
  const at = answerObject(answer, 'answer', context)
  const status = word(at, 'status')
  finish(at)
  return status
}

export const blockchainsPipeline = pipeline({
  name: 'blockchains',
  comment: 'Blockchains that a node knows, each with its status there.',
  parameters: {
    'blockchain-ids': blockchainIds(
      'Request the status of these blockchains only, with one request each (default: all). The other blockchains get a row without a status.',
    ),
  },
  reads: 'node',
  tables,
  walks: ['snapshot'],
  streams: async ({ 'blockchain-ids': ids }, facts) => {
    const { network, chains } = await facts.node()
    const stream = nodeStream(network, 'blockchains', { 'blockchain-ids': ids })
    const name = subjectName('blockchains', stream.parameters)
    const lists = [listWithStatus({ network, subject: name }, ids, chains)]
    return [{ stream, walk: { kind: 'snapshot', subjects: [{ name, lists }] } }]
  },
})

/** The list, then the status of each chain. A requested chain that is not in the list, such as the P-Chain, still gets a row. */
function listWithStatus(
  place: NodePlace,
  ids: readonly string[] | undefined,
  primary: NetworkIdentity['chains'],
): List {
  const read = blockchainsList(place)
  return listThenItems<RowOf<typeof nodeBlockchains>>({
    list: {
      request: nodeCall('/ext/bc/P', 'platform.getBlockchains'),
      read: (answer, context) => {
        const { blockchains } = read(answer, context).rows
        const byId = itemsByKey(blockchains, 'blockchain_id')
        for (const { alias, blockchainId } of primary)
          mustList(alias === 'P' || byId.has(blockchainId), 'blockchains', `the ${alias}-Chain`, [...byId.keys()])
        const requested = ids ?? [...byId.keys()]
        const items = new Map(requested.map((id) => [id, byId.get(id) ?? unlisted(id, context, place)]))
        return { rows: { blockchains: blockchains.filter((row) => !items.has(row.blockchain_id)) }, items }
      },
    },
    item: {
      request: (id) => nodeCall('/ext/bc/P', 'platform.getBlockchainStatus', { blockchainID: id }),
      read: (answer, context, row) => ({
        blockchains: [{ ...row, blockchain_status: readBlockchainStatus(answer, context) }],
      }),
    },
    none: { blockchains: [] },
  })
}

/** The row of a chain that the node does not list. */
function unlisted(
  blockchainId: string,
  { observationId, observedAt }: ReadingContext,
  { network, subject }: NodePlace,
): RowOf<typeof nodeBlockchains> {
  return {
    network,
    blockchain_id: blockchainId,
    subject,
    observation_id: observationId,
    observed_at: observedAt,
    blockchain_name: null,
    subnet_id: null,
    vm_id: null,
    blockchain_status: null,
  }
}
