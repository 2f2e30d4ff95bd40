import { evmBlocks } from '../schemas/evm-blocks.ts'
import { evmLogs } from '../schemas/evm-logs.ts'
import { evmTokenTransfers } from '../schemas/evm-token-transfers.ts'
import { evmTransactions } from '../schemas/evm-transactions.ts'
import { readEvmBlock } from '../src/decode/evm/read-block.ts'
import { type Connection, type Place, p, pipeline, type Range, theNode } from '../src/define/index.ts'
import type { EvmBlock } from '../src/model.ts'
import { usualUnit } from './shared/index-pipeline.ts'
import { parameterError } from './shared/parameter-error.ts'
import { mustBeRange } from './shared/service-job.ts'
import { idPattern } from './shared/service-parameters.ts'

const tables = {
  blocks: evmBlocks,
  transactions: evmTransactions,
  logs: evmLogs,
  tokenTransfers: evmTokenTransfers,
}

export const evmBlocksPipeline = pipeline({
  name: 'evm-blocks',
  comment: 'Blocks of an EVM chain with transactions, receipts, logs and token transfers, from its JSON-RPC.',
  parameters: {
    chain: p.text(
      'The C chain of the node (C, when absent), another chain of it by its blockchain id, or the URL of the JSON-RPC of any EVM chain.',
    ),
    from: p.whole('First block number, inclusive; 0 when absent.'),
    to: p.whole('Last block number, exclusive; up to the last final block when absent.', { least: 1 }),
    unit: p.whole(`Blocks per commit; ${usualUnit} when absent.`, { least: 1 }),
    finality: p.whole(
      'Blocks below the newest one that are not read, where the node does not say which are final; 64 when absent.',
    ),
    step: p.whole('Only blocks whose numbers are multiples of it; all when absent.', { least: 1 }),
  },
  reads: 'node',
  walks: ['range'],
  tables,
  async streams({ chain = 'C', from = 0, to, unit = usualUnit, finality, step = 1 }, facts) {
    mustBeRange(['from', from], ['to', to])
    const { place, route } = reachOf(chain)
    const { chainId, genesisHash, name } = await facts.ask(place, async (connection: Connection, signal) => {
      const { evmNetworkName, identifyEvmChain } = await import('../src/sources/evm-chain.ts')
      const found = await identifyEvmChain(connection, route, signal)
      return { ...found, name: evmNetworkName(found.chainId) }
    })
    const network = place === theNode ? (await facts.node()).network : name
    const walk: Range<EvmBlock> = {
      kind: 'range',
      record: 'block',
      what: `the RPC of chain ${chainId}`,
      place,
      source: async (connection, { underWay }) => {
        const { createEvmBlocks } = await import('../src/sources/evm-blocks.ts')
        return createEvmBlocks(connection, route, { step, underWay, ...(finality === undefined ? {} : { finality }) })
      },
      from,
      to: to ?? null,
      unit: unit * step,
      order: 'chain',
      outputs: [{ tables, read: readEvmBlock }],
      context: { network, chainId: String(chainId) },
      linkOf: null,
      notice: null,
    }
    // Blocks that name each other tell chains apart; where some are left out only the first one of the chain does.
    const parameters: Record<string, string> = step === 1 ? {} : { step: String(step), genesis: genesisHash }
    return [{ stream: { network, path: `evm-blocks/${chainId}`, parameters }, tables, walk }]
  },
})

/** Where the RPC of a chain is. A slash at the end of a URL's path is kept: some servers want it. */
function reachOf(chain: string): { place: Place; route: string } {
  const url = URL.canParse(chain) ? new URL(chain) : null
  if (url?.protocol === 'http:' || url?.protocol === 'https:')
    return { place: { url: chain }, route: url.pathname.endsWith('/') ? '/' : '' }
  if (chain === 'C' || new RegExp(`^${idPattern}$`).test(chain))
    return { place: theNode, route: `/ext/bc/${chain}/rpc` }
  throw parameterError(
    `${JSON.stringify(chain)} names no EVM chain.`,
    'chain must be C, the blockchain id of a chain of the node, or a URL such as http://127.0.0.1:9650/ext/bc/C/rpc.',
  )
}
