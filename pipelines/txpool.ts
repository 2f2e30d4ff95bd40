import { nodeTxpool } from '../schemas/node-state.ts'
import { decodeTxpool, txpoolRefused } from '../src/decode/node/evm.ts'
import { type List, nodeStream, pipeline } from '../src/define/index.ts'
import { askEvmChain, evmChainParameter } from './shared/evm-chain.ts'

export const txpoolPipeline = pipeline({
  name: 'txpool',
  comment: 'Transactions that wait in the pool of a node of an EVM chain, if the node offers its txpool API.',
  parameters: { chain: evmChainParameter },
  reads: 'node',
  tables: { transactions: nodeTxpool },
  walks: ['snapshot'],
  streams: async ({ chain }, facts) => {
    const answers = await askEvmChain(chain, facts)
    const { endpoint, route, network, chainId } = answers
    const list: List = {
      request: () => ({ host: 'node', endpoint, path: route, method: 'txpool_content', params: [] }),
      decode: decodeTxpool({ network, chainId, subject: chainId }),
      refused: txpoolRefused,
    }
    const stream = nodeStream(network, 'txpool', {}, chainId)
    return [{ stream, walk: { kind: 'snapshot', subjects: [{ name: chainId, lists: [list] }] }, chain: answers }]
  },
})
