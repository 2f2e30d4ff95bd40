import { nodeEvmState } from '../schemas/node-state.ts'
import { decodeEvmState, evmStateCall, evmStateRefused } from '../src/decode/node/evm.ts'
import { type List, nodeStream, pipeline } from '../src/define/index.ts'
import { askEvmChain, evmChainParameter } from './shared/evm-chain.ts'

export const evmStatePipeline = pipeline({
  name: 'evm-state',
  comment: 'Fees of the next block of an EVM chain, its ids, upgrades and the version of its client.',
  parameters: { chain: evmChainParameter },
  reads: 'node',
  tables: { state: nodeEvmState },
  walks: ['snapshot'],
  streams: async ({ chain }, facts) => {
    const answers = await askEvmChain(chain, facts)
    const { endpoint, route, network, chainId } = answers
    const observed = { network, chainId, subject: chainId }
    const list: List = {
      request: (token) => ({ host: 'node', endpoint, path: route, method: evmStateCall(token), params: [] }),
      decode: decodeEvmState(observed),
      refused: evmStateRefused(observed),
    }
    const stream = nodeStream(network, 'evm-state', {}, chainId)
    return [{ stream, walk: { kind: 'snapshot', subjects: [{ name: chainId, lists: [list] }] }, chain: answers }]
  },
})
