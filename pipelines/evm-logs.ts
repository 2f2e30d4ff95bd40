import { evmLogs, evmTokenTransfers } from '../schemas/evm-blocks.ts'
import { readEvmLogs } from '../src/decode/evm/blocks.ts'
import { p, pipeline, type Range, serviceStream, type ValuesOf } from '../src/define/index.ts'
import { countText } from '../src/lib/text.ts'
import type { EvmBlockLogs } from '../src/model.ts'
import {
  askEvmChain,
  blockRange,
  evmBlockStream,
  evmChainParameter,
  finalityParameter,
  headsParameter,
} from './shared/evm-chain.ts'
import {
  evmAddressRule,
  exampleContract,
  parameterError,
  rangeParameters,
  requestedBounds,
} from './shared/parameters.ts'

const tables = { logs: evmLogs, tokenTransfers: evmTokenTransfers }

const topic = { pattern: { source: '^0x[0-9a-fA-F]{64}$', says: 'must be 0x and 64 hexadecimal digits' } }

const parameters = {
  chain: evmChainParameter,
  contracts: p.list('Only logs of these contracts: 0x addresses; inline, from a file or a query.', {
    ...evmAddressRule,
    example: exampleContract,
  }),
  topics: p.list(
    'Only logs with one of these first topics: 0x and 64 digits. For most events it is the hash of the signature.',
    topic,
  ),
  'second-topics': p.list('Only logs with one of these second topics.', topic),
  'third-topics': p.list('Only logs with one of these third topics.', topic),
  'fourth-topics': p.list('Only logs with one of these fourth topics.', topic),
  ...rangeParameters('block number', 'the last final block'),
  finality: finalityParameter,
  'ws-url': headsParameter,
}

/** Contracts per request: nodes accept no more. */
const mostContracts = 1000

export const evmLogsPipeline = pipeline({
  name: 'evm-logs',
  comment:
    'Logs and token transfers of an EVM chain by contract and topic, from its JSON-RPC; blocks that evm-blocks has are left out.',
  parameters,
  reads: 'node',
  walks: ['range'],
  tables,
  async streams(values, facts) {
    const { chain, finality, 'ws-url': wsUrl } = values
    const bounds = requestedBounds(values)
    const filter = filterOf(values)
    const answers = await askEvmChain(chain, facts, { wsUrl, finality })
    const { route, network, chainId } = answers
    const blocks = evmBlockStream('evm-blocks', answers, 1)
    const [first, second, third, fourth] = filter.topics
    const lists = {
      contracts: listed(filter.contracts),
      topics: listed(first),
      secondTopics: listed(second),
      thirdTopics: listed(third),
      fourthTopics: listed(fourth),
    }
    const stream = serviceStream(network, 'evm-logs', lists, chainId)
    const walk: Range<EvmBlockLogs> = {
      ...blockRange(answers),
      what: `the logs of chain ${chainId}`,
      source: async (connection) => {
        const { createEvmLogs } = await import('../src/sources/evm-logs.ts')
        return createEvmLogs(connection, route, { filter, finality })
      },
      ...bounds,
      unit: null,
      overlapping: [blocks.path, stream.path],
      within: [blocks],
      outputs: [{ tables, read: readEvmLogs }],
    }
    return [{ stream, walk, chain: answers }]
  },
})

/** Lists in a canonical order and spelling, so that the same logs are the same stream. */
function filterOf(values: ValuesOf<typeof parameters>) {
  const contracts = sorted(values.contracts)
  if (contracts.length > mostContracts)
    throw parameterError(
      `A job over logs takes at most ${countText(mostContracts)} contracts, not ${countText(contracts.length)}.`,
      'Divide them among several jobs, or leave contracts out and filter in the query.',
    )
  const topics = [values.topics, values['second-topics'], values['third-topics'], values['fourth-topics']].map(sorted)
  while (topics.at(-1)?.length === 0) topics.pop()
  return { contracts, topics }
}

function sorted(list: readonly string[] | undefined): readonly string[] {
  return [...new Set((list ?? []).map((text) => text.toLowerCase()))].sort()
}

/** Undefined if the value is not part of the stream. */
function listed(list: readonly string[] | undefined): readonly string[] | undefined {
  return list === undefined || list.length === 0 ? undefined : list
}
