import { nodeBalances } from '../schemas/node-balances.ts'
import {
  decodeAliasedBalance,
  decodePBalances,
  decodeXBalance,
  decodeXBalances,
  type XBalances,
} from '../src/decode/node/balances.ts'
import {
  type List,
  type NetworkIdentity,
  type NodeCall,
  nodeStream,
  p,
  pipeline,
  type ReadingContext,
  type Subject,
  theNode,
} from '../src/define/index.ts'
import { addressParameters, requestedAddresses } from './shared/lake-addresses.ts'
import { listThenItems } from './shared/list-then-items.ts'
import { type NodeChain, nodeChain } from './shared/node-chain.ts'
import { parameterError } from './shared/parameter-error.ts'
import { idPattern, unitPages } from './shared/service-parameters.ts'

const tables = { balances: nodeBalances }

const parameters = {
  chain: p.text('P (default), X, or another chain of the asset VM by its blockchain id.'),
  ...addressParameters,
  assets: p.list(
    'Assets of the X-Chain, by their ids or AVAX (default: all assets of an address). Each is a request of its own, and names the UTXOs that were counted.',
    { pattern: { source: `^(AVAX|${idPattern})$`, says: 'must be AVAX or the id of an asset' } },
  ),
  'unit-pages': unitPages,
}

export const addressBalancesPipeline = pipeline({
  name: 'address-balances',
  comment: 'Balances of addresses per asset, as a node computes them. One request per address (and asset).',
  parameters,
  reads: 'node',
  tables,
  walks: ['snapshot'],
  streams: async (values, facts) => {
    const { chain: name = 'P', assets } = values
    const identity = await facts.node()
    const chain = nodeChain(identity, name)
    if (chain.alias === 'C')
      throw parameterError(
        'The C-Chain has accounts, not UTXOs: this job does not read their balances.',
        'Set chain to P or X, or use balances.',
      )
    if (chain.alias === 'P' && assets !== undefined)
      throw parameterError(
        'assets selects assets of the X-Chain; a node returns all assets of the P-Chain at once.',
        'Leave assets out.',
      )
    const { list, named } = requestedAddresses(values, identity)
    if (list.length === 0) return []
    const filters = { addresses: named, assets }
    const stream = nodeStream(identity.network, 'address-balances', filters, chain.alias ?? chain.blockchainId)
    const subjects = list.map((address) => subjectOf(identity, chain, name, address, assets))
    return [{ stream, tables, walk: { kind: 'snapshot', subjects } }]
  },
})

/** Balances of an address on a chain. */
function subjectOf(
  { network, nativeAssetId }: NetworkIdentity,
  { alias, blockchainId, path }: NodeChain,
  prefix: string,
  address: string,
  assets: readonly string[] | undefined,
): Subject {
  const filter = assets === undefined ? '' : `?assets=${assets.join()}`
  const subject = `${alias ?? blockchainId}/${address}${filter}`
  // On another chain of the asset VM, AVAX is the name of an asset of its own genesis.
  const question = { network, blockchainId, address, subject, nativeAssetId: alias === null ? null : nativeAssetId }
  const call = (method: string, params: NodeCall['params']): NodeCall => ({
    host: 'node',
    endpoint: theNode,
    path,
    method,
    params,
  })
  const named = `${prefix}-${address}`
  if (alias === 'P')
    return {
      name: subject,
      lists: [
        { request: () => call('platform.getBalance', { addresses: [named] }), decode: decodePBalances(question) },
      ],
    }
  /** Requests an asset by its alias if the answer names it by one. */
  const list = (request: NodeCall, read: (answer: unknown, context: ReadingContext) => XBalances): List =>
    listThenItems({
      list: { request, read },
      item: {
        request: (alias) => call('xvm.getAssetDescription', { assetID: alias }),
        read: decodeAliasedBalance,
      },
      none: { balances: [] },
    })
  if (assets === undefined)
    return { name: subject, lists: [list(call('xvm.getAllBalances', { address: named }), decodeXBalances(question))] }
  return {
    name: subject,
    lists: assets.map((asset) =>
      list(call('xvm.getBalance', { address: named, assetID: asset }), decodeXBalance(question, asset)),
    ),
  }
}
