import { nodeAssets } from '../schemas/node-assets.ts'
import { assetRefused, decodeAsset } from '../src/decode/node/assets.ts'
import { nodeStream, p, pipeline, theNode } from '../src/define/index.ts'
import { nodeChain } from './shared/node-chain.ts'
import { assetIds } from './shared/node-parameters.ts'
import { unitPages } from './shared/service-parameters.ts'

/** Every asset that is created in the lake, or that has an output in it. */
const knownAssets = ['x_assets', 'x_outputs', 'p_outputs', 'c_atomic_outputs']
  .map((table) => `SELECT asset_id FROM ${table} WHERE asset_id IS NOT NULL`)
  .join(' UNION ')

const unanswered = {
  column: 'asset_id',
  reason: 'the node does not know these assets',
  hint: 'Check the ids and --chain: only the chain that created an asset knows it. The next run requests them again.',
}

export const assetsPipeline = pipeline({
  name: 'assets',
  comment: 'Names, symbols and denominations of assets, from the X-Chain.',
  parameters: {
    'asset-ids': assetIds(
      'Assets to request; inline, from a file or a query (default: every asset already in the lake).',
      `SELECT * FROM (${knownAssets}) ORDER BY 1`,
    ),
    chain: p.text('The X-Chain (default: X), or another chain of the asset VM by its blockchain id.'),
    'unit-pages': unitPages,
  },
  reads: 'node',
  tables: { assets: nodeAssets },
  walks: ['keyed'],
  streams: async ({ 'asset-ids': ids = [], chain = 'X' }, facts) => {
    const identity = await facts.node()
    const { network } = identity
    const { blockchainId, path } = nodeChain(identity, chain)
    const keys = [...new Set(ids)].map((assetId) => ({
      key: { asset_id: assetId },
      request: {
        host: 'node',
        endpoint: theNode,
        path,
        method: 'xvm.getAssetDescription',
        params: { assetID: assetId },
      } as const,
      decode: decodeAsset({ network, blockchainId, assetId }),
      refused: assetRefused,
    }))
    return [{ stream: nodeStream(network, 'assets', {}), walk: { kind: 'keyed', keys, unanswered } }]
  },
})
