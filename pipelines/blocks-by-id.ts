import { nodeBlocks } from '../schemas/node-state.ts'
import { blockRefused, decodeBlock } from '../src/decode/node/node.ts'
import { nodeCall, nodeStream, p, pipeline } from '../src/define/index.ts'
import { askFxs, blockIds, encoding, nodeChain } from './shared/node.ts'
import { parameterError } from './shared/parameters.ts'

const unanswered = {
  column: 'block_id',
  reason: 'the node does not have these blocks',
  hint: 'Check the ids and --chain, or use a node that has them; the next run requests them again.',
}

export const blocksByIdPipeline = pipeline({
  name: 'blocks-by-id',
  comment: 'Blocks of the P- or X-Chain by their ids.',
  parameters: {
    'block-ids': blockIds('Blocks; inline, from a file or a query.'),
    chain: p.text.required('P, X, or another chain of the asset VM by its blockchain id.', { example: 'P' }),
    encoding,
  },
  reads: 'node',
  tables: { blocks: nodeBlocks },
  walks: ['keyed'],
  streams: async ({ 'block-ids': ids, chain, encoding = 'hex' }, facts) => {
    const identity = await facts.node()
    const { network } = identity
    const { alias, blockchainId, path } = nodeChain(identity, chain)
    if (alias === 'C')
      throw parameterError('The node has no method for C-Chain blocks by id.', 'Run evm-blocks or c-blocks for them.')
    const fxs = encoding === 'hex' ? await askFxs(alias ?? blockchainId, facts) : null
    const namespace = alias === 'P' ? 'platform' : 'xvm'
    const keys = [...new Set(ids)].map((blockId) => ({
      key: { blockchain_id: blockchainId, block_id: blockId },
      request: nodeCall(path, `${namespace}.getBlock`, { blockID: blockId, encoding }),
      decode: decodeBlock({ network, blockchainId, blockId, namespace, fxs }),
      refused: blockRefused,
    }))
    return [{ stream: nodeStream(network, 'blocks-by-id', {}), walk: { kind: 'keyed', keys, unanswered } }]
  },
})
