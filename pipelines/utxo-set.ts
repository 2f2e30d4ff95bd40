import { nodeUtxos } from '../schemas/node-state.ts'
import { pStateOutputs } from '../schemas/p-chain.ts'
import { xStateOutputs } from '../schemas/x-chain.ts'
import {
  decodeUtxoPage,
  type StateTransaction,
  type StateTransactions,
  type UtxoQuestion,
} from '../src/decode/node/utxos.ts'
import {
  type List,
  type NetworkIdentity,
  nodeCall,
  nodeStream,
  p,
  pipeline,
  type Tables,
  type ValuesOf,
} from '../src/define/index.ts'
import { chunksOf } from '../src/lib/arrays.ts'
import { parametersText } from '../src/model.ts'
import { primaryId } from '../src/sources/known-networks.ts'
import { addressParameters, requestedAddresses } from './shared/addresses.ts'
import { askFxs, type NodeChain, nodeChain } from './shared/node.ts'
import { idPattern, parameterError } from './shared/parameters.ts'

/** A network with a P-Chain that the lake covers without a gap from its first block. UTXOs that are missing there belong to the genesis. */
const whole = 'SELECT network FROM p_blocks GROUP BY network HAVING min(height) = 1 AND max(height) = count(*)'

/** `<network>/<origin>/<transaction>/<first index>[/<staking transaction>]` */
const known = [
  `SELECT concat_ws('/', network, 'refund', tx_id, output_count) AS item FROM p_transactions
   WHERE tx_type IN ('DisableL1ValidatorTx', 'SetL1ValidatorWeightTx')`,
  `SELECT concat_ws('/', reward.network, 'reward', staking.tx_id, staking.output_count, staking.tx_id)
   FROM p_rewards AS reward
   JOIN p_transactions AS staking ON staking.network = reward.network AND staking.tx_id = reward.staked_tx_id
   WHERE reward.stake_ended`,
  `SELECT concat_ws('/', network, 'reward', tx_id, 0, staked_tx_id) FROM p_rewards
   WHERE tx_type = 'RewardAutoRenewedValidatorTx' AND outcome IS NOT NULL`,
  `SELECT concat_ws('/', reward.network, 'genesis', reward.staked_tx_id, 0)
   FROM p_rewards AS reward
   SEMI JOIN (${whole}) AS whole ON whole.network = reward.network
   ANTI JOIN p_transactions AS staking ON staking.network = reward.network AND staking.tx_id = reward.staked_tx_id`,
].join(' UNION ')

const stateTransactions = p.list(
  'Transactions that made UTXOs which no container holds, as network/origin/transaction/first index (default: all in the lake). It changes no row of node_utxos.',
  {
    pattern: {
      source: `^[a-z0-9-]+/(reward|refund|genesis)/${idPattern}/[0-9]+(/${idPattern})?$`,
      says: 'must be network/origin/transaction/first index',
    },
    query: `SELECT item FROM (${known}) ORDER BY item`,
  },
)

const genesis = { origin: 'genesis', firstIndex: 0, stakedTxId: null } as const

/** Transactions of the network. Balances of the P-Chain genesis have no transaction; the X-Chain genesis created the native asset. */
function stateTransactionsOf(
  items: readonly string[] | undefined,
  { network, nativeAssetId }: NetworkIdentity,
): StateTransactions {
  const found = new Map<string, StateTransaction>([[primaryId, genesis]])
  if (nativeAssetId !== null) found.set(nativeAssetId, genesis)
  for (const item of items ?? []) {
    const [of, origin, txId, firstIndex, stakedTxId = null] = item.split('/')
    if (of !== network || txId === undefined) continue
    found.set(txId, { origin: origin as StateTransaction['origin'], firstIndex: Number(firstIndex), stakedTxId })
  }
  return found
}

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
    const { chain: name = 'P' } = values
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
  question: UtxoQuestion,
): List {
  const params = {
    addresses: addresses.map((address) => `${name}-${address}`),
    ...(source === undefined ? {} : { sourceChain: source }),
    limit,
    encoding: 'hex',
  }
  const [namespace, route] = alias === 'P' ? ['platform', path] : alias === 'C' ? ['cx', `${path}/cx`] : ['xvm', path]
  return {
    request: (token) =>
      nodeCall(route, `${namespace}.getUTXOs`, token === null ? params : { ...params, startIndex: JSON.parse(token) }),
    decode: decodeUtxoPage(question),
    requested: { values: [{ addresses }] },
  }
}
