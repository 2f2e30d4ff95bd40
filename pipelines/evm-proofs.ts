import { nodeEvmProofs } from '../schemas/node-state.ts'
import { decodeProof, proofRefused } from '../src/decode/node/evm.ts'
import { nodeStream, p, pipeline } from '../src/define/index.ts'
import { askEvmChain, evmChainParameter } from './shared/evm-chain.ts'
import { accounts } from './shared/node.ts'
import { evmAddresses } from './shared/parameters.ts'

export const evmProofsPipeline = pipeline({
  name: 'evm-proofs',
  comment: 'Balances and storage of EVM accounts at a block, with Merkle proofs.',
  parameters: {
    addresses: accounts,
    slots: p.list('Storage slots to prove too, as hexadecimal numbers (default: none).', {
      pattern: { source: '^0x[0-9a-fA-F]{1,64}$', says: 'must be 0x and up to 64 hexadecimal digits' },
    }),
    block: p.text(
      'Number of the block, or latest, safe or finalized (default); a run resolves it once. The node must still have the state of the block: it keeps 32 blocks when it prunes, else 24 hours by default.',
      {
        pattern: { source: '^(\\d{1,15}|latest|safe|finalized)$', says: 'must be a number, latest, safe or finalized' },
      },
    ),
    chain: evmChainParameter,
  },
  reads: 'node',
  tables: { proofs: nodeEvmProofs },
  walks: ['keyed'],
  streams: async ({ addresses, slots = [], block: wanted = 'finalized', chain }, facts) => {
    const answers = await askEvmChain(chain, facts)
    const { endpoint, route, network, chainId } = answers
    const block = await facts.ask(endpoint, async (connection, signal) => {
      const { readEvmBlockHead } = await import('../src/sources/evm-answers.ts')
      return readEvmBlockHead(connection, route, wanted, signal)
    })
    const number = `0x${block.number.toString(16)}`
    const keys = evmAddresses(addresses).map((address) => ({
      key: { chain_id: chainId, address, block_number: block.number },
      request: {
        host: 'node',
        endpoint,
        path: route,
        method: 'eth_getProof',
        params: [address, slots, number],
      } as const,
      decode: decodeProof({ network, chainId, address, slots, block }),
      refused: proofRefused({ block }),
    }))
    return [{ stream: nodeStream(network, 'evm-proofs', {}, chainId), walk: { kind: 'keyed', keys }, chain: answers }]
  },
})
