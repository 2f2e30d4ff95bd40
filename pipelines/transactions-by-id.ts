import type { FxOrder } from '../codec/fxs.ts'
import { nodeTransactions } from '../schemas/node-state.ts'
import {
  decodeTx,
  decodeTxStatus,
  type RequestedTransaction,
  txRefused,
  txStatusRefused,
} from '../src/decode/node/node.ts'
import { type KeyedQuestion, type NodeCall, nodeCall, nodeStream, p, pipeline } from '../src/define/index.ts'
import { askFxs, encoding, type NodeChain, nodeChain, txIds } from './shared/node.ts'
import { parameterError } from './shared/parameters.ts'

const unanswered = {
  column: 'tx_id',
  reason: 'the node does not have these transactions, or has not accepted them yet',
  hint: 'Check the ids and --chain, or use a node that has them; the next run requests them again.',
}

export const transactionsByIdPipeline = pipeline({
  name: 'transactions-by-id',
  comment:
    'Transactions of the X-Chain, or atomic transactions of the C-Chain, by their ids. The next run requests undecided ones again.',
  parameters: {
    'tx-ids': txIds('Transactions; inline, from a file or a query.'),
    chain: p.text('X (default), C, or another chain of the asset VM by its blockchain id.'),
    encoding,
  },
  reads: 'node',
  tables: { transactions: nodeTransactions },
  walks: ['keyed'],
  streams: async ({ 'tx-ids': ids, chain = 'X', encoding = 'hex' }, facts) => {
    const identity = await facts.node()
    const found = nodeChain(identity, chain)
    if (found.alias === 'P')
      throw parameterError(
        'P-Chain transactions are in p_transactions: the specification has no method that returns one by its id.',
        'Run p-blocks, or name another chain.',
      )
    if (found.alias === 'C' && encoding === 'json')
      throw parameterError('The C-Chain gives atomic transactions as bytes only.', 'Leave encoding out.')
    const fxs = encoding === 'hex' ? await askFxs(found.alias ?? found.blockchainId, facts) : null
    const keys = [...new Set(ids)].map((txId) => question(identity.network, found, fxs, txId, encoding))
    return [
      { stream: nodeStream(identity.network, 'transactions-by-id', {}), walk: { kind: 'keyed', keys, unanswered } },
    ]
  },
})

/** First the status, then the content of an accepted transaction. */
function question(
  network: string,
  chain: NodeChain,
  fxs: FxOrder | null,
  txId: string,
  encoding: string,
): KeyedQuestion {
  const { blockchainId, path } = chain
  const isAtomic = chain.alias === 'C'
  const requested: RequestedTransaction = { network, blockchainId, txId, namespace: isAtomic ? 'cx' : 'xvm', fxs }
  const call = (method: string, params: object): NodeCall =>
    nodeCall(isAtomic ? `${path}/cx` : path, `${requested.namespace}.${method}`, { txID: txId, ...params })
  const [decodeStatus, decodeContent] = [decodeTxStatus(requested), decodeTx(requested)]
  return {
    key: { blockchain_id: blockchainId, tx_id: txId },
    request: call(isAtomic ? 'getAtomicTxStatus' : 'getTxStatus', {}),
    next: () => call(isAtomic ? 'getAtomicTx' : 'getTx', { encoding }),
    decode: (answer, context, token) =>
      token === null ? decodeStatus(answer, context) : decodeContent(answer, context, token),
    refused: (refusal, _, token) => (token === null ? txStatusRefused(refusal) : txRefused(refusal)),
  }
}
