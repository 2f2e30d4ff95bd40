import { nodeUtxos } from '../schemas/node-utxos.ts'
import { pStateOutputs } from '../schemas/p-state-outputs.ts'
import { xStateOutputs } from '../schemas/x-state-outputs.ts'
import { decodeUtxoPage, type UtxoQuestion } from '../src/decode/node/utxos.ts'
import { type List, nodeStream, p, pipeline, type Tables, theNode, type ValuesOf } from '../src/define/index.ts'
import { chunksOf } from '../src/lib/chunks.ts'
import { parametersText } from '../src/model.ts'
import { askFxs } from './shared/chain-fxs.ts'
import { addressParameters, requestedAddresses } from './shared/lake-addresses.ts'
import { type NodeChain, nodeChain } from './shared/node-chain.ts'
import { parameterError } from './shared/parameter-error.ts'
import { unitPages } from './shared/service-parameters.ts'
import { stateTransactions, stateTransactionsOf } from './shared/state-transactions.ts'

/** Limits of nodes: addresses per request and UTXOs per page (specification 8). */
const mostAddresses = 1_024
const mostUtxos = 1_024

const parameters = {
  chain: p.text('P (default), X, C, or another chain of the asset VM by its blockchain id.'),
  'source-chain': p.text(
    'UTXOs that this chain exported and no transaction has imported yet: P, X, C or a blockchain id (default: those of the chain itself; C has none).',
  ),
  ...addressParameters,
  // A page of UTXOs from another chain begins with the last UTXO of the previous page.
  limit: p.whole(`UTXOs per page (default: ${mostUtxos}).`, { least: 2, most: mostUtxos }),
  'state-transactions': stateTransactions,
  'unit-pages': unitPages,
}

const observed = { utxos: nodeUtxos }

export const utxoSetPipeline = pipeline({
  name: 'utxo-set',
  comment:
    'Unspent UTXOs of addresses as a node lists them, read whole each time, with the outputs among them that are in no container.',
  parameters,
  reads: 'node',
  tables: { ...observed, pState: pStateOutputs, xState: xStateOutputs },
  walks: ['snapshot'],
  streams: async (values, facts) => {
    const { chain: name = 'P', limit = mostUtxos } = values
    const source = values['source-chain']
    if (name === 'C' && source === undefined)
      throw parameterError('The C-Chain has no UTXOs of its own.', 'Set source-chain to P or X.')
    const identity = await facts.node()
    const chain = nodeChain(identity, name)
    const sourceChainId = source === undefined ? null : nodeChain(identity, source).blockchainId
    const { list, named } = requestedAddresses(values, identity)
    if (list.length === 0) return []
    const nameOfChain = chain.alias ?? chain.blockchainId
    const fxs = await askFxs(nameOfChain, facts)
    const filters = { source: sourceChainId ?? undefined, addresses: named }
    const stream = nodeStream(identity.network, 'utxo-set', filters, nameOfChain)
    // The chain, the source chain of the UTXOs, and the addresses if the job names them.
    const subject = `utxo-set/${nameOfChain}${parametersText(stream.parameters)}`
    const question = {
      network: identity.network,
      hrp: identity.hrp,
      chain: chain.alias ?? 'X',
      fxs,
      blockchainId: chain.blockchainId,
      sourceChainId,
      subject,
      limit,
      stateTransactions: stateTransactionsOf(values['state-transactions'], identity),
    }
    const lists = chunksOf(list, mostAddresses).map((chunk) => listOf(values, chain, chunk, question))
    return [{ stream, tables: tablesOf(question), walk: { kind: 'snapshot', subjects: [{ name: subject, lists }] } }]
  },
})

/** UTXOs exported by another chain are in a container of that chain. */
function tablesOf({ chain, sourceChainId }: Pick<UtxoQuestion, 'chain' | 'sourceChainId'>): Tables {
  if (sourceChainId !== null) return observed
  return chain === 'P' ? { ...observed, pState: pStateOutputs } : { ...observed, xState: xStateOutputs }
}

function listOf(
  { chain: name = 'P', 'source-chain': source, limit = mostUtxos }: ValuesOf<typeof parameters>,
  { alias, path }: NodeChain,
  addresses: readonly string[],
  question: Omit<UtxoQuestion, 'addressCount'>,
): List {
  const params = {
    addresses: addresses.map((address) => `${name}-${address}`),
    ...(source === undefined ? {} : { sourceChain: source }),
    limit,
    encoding: 'hex',
  }
  const [namespace, route] = alias === 'P' ? ['platform', path] : alias === 'C' ? ['cx', `${path}/cx`] : ['xvm', path]
  return {
    request: (token) => ({
      host: 'node',
      endpoint: theNode,
      path: route,
      method: `${namespace}.getUTXOs`,
      params: token === null ? params : { ...params, startIndex: JSON.parse(token) },
    }),
    decode: decodeUtxoPage({ ...question, addressCount: addresses.length }),
    requested: { values: [{ addresses }] },
  }
}
