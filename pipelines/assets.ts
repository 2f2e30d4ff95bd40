import { nodeAssets } from '../schemas/node-state.ts'
import { listReader } from '../src/decode/list-reader.ts'
import { isNotFound } from '../src/decode/node/node.ts'
import { nodeCall, nodeStream, type Page, p, pipeline, type Refusal } from '../src/define/index.ts'
import { DecodeError } from '../src/errors.ts'
import { assetIds, nodeChain } from './shared/node.ts'

const tables = { assets: nodeAssets }

/** Reads the description of an asset (xvm.getAssetDescription, specification 2.4). Throws `DecodeError` for another asset than `requested`. */
export const assetList = listReader({
  tables,
  items: null,
  token: null,
  complete({ asset_id }, _, { requested }) {
    if (asset_id === requested) return
    throw new DecodeError('The node describes another asset than the requested one.', {
      code: 'decode.field',
      details: { field: 'assetID', value: asset_id, requested: String(requested) },
      hint: 'Nothing of this unit was written. Try another node.',
    })
  },
})

/** Returns an empty page if the chain does not know the asset yet. The next run requests it again. */
export function assetRefused(refusal: Refusal): Page<typeof tables> | null {
  return isNotFound(refusal) ? { rows: { assets: [] }, items: [], next: null } : null
}

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
  },
  reads: 'node',
  tables,
  walks: ['keyed'],
  streams: async ({ 'asset-ids': ids = [], chain = 'X' }, facts) => {
    const identity = await facts.node()
    const { network } = identity
    const { blockchainId, path } = nodeChain(identity, chain)
    const keys = [...new Set(ids)].map((assetId) => ({
      key: { asset_id: assetId },
      request: nodeCall(path, 'xvm.getAssetDescription', { assetID: assetId }),
      decode: assetList({ network, blockchain_id: blockchainId, requested: assetId }),
      refused: assetRefused,
    }))
    return [{ stream: nodeStream(network, 'assets', {}), walk: { kind: 'keyed', keys, unanswered } }]
  },
})
