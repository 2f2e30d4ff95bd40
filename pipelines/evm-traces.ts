import { evmTraces } from '../schemas/evm-traces.ts'
import { readEvmTraces } from '../src/decode/evm/read-traces.ts'
import { pipeline, type Range } from '../src/define/index.ts'
import type { EvmBlockTraces } from '../src/model.ts'
import {
  askEvmChain,
  evmBlockStream,
  evmBlockWalk,
  evmChainParameter,
  evmRangeParameters,
  tracerTimeout,
} from './shared/evm-chain.ts'
import { requestedBounds } from './shared/range-parameters.ts'

const tables = { traces: evmTraces }

export const evmTracesPipeline = pipeline({
  name: 'evm-traces',
  comment:
    'Every call of the transactions of an EVM chain, with calls between contracts, from the call tracer of a node. The node needs its debug API, and for old blocks their state (archive node).',
  parameters: {
    chain: evmChainParameter,
    ...evmRangeParameters,
    'tracer-timeout': tracerTimeout,
  },
  reads: 'node',
  walks: ['range'],
  tables,
  async streams({ chain, unit, finality, step = 1, 'tracer-timeout': seconds, 'ws-url': wsUrl, ...part }, facts) {
    const bounds = requestedBounds(part)
    const answers = await askEvmChain(chain, facts, { wsUrl, finality })
    const { route, chainId } = answers
    const walk: Range<EvmBlockTraces> = {
      ...evmBlockWalk(answers, { bounds, unit, step }),
      what: `the traces of chain ${chainId}`,
      source: async (connection) => {
        const [{ createEvmTraces }, { callTracer, tracerWithin }] = await Promise.all([
          import('../src/sources/traces/evm-traces.ts'),
          import('../src/sources/traces/tracers.ts'),
        ])
        return createEvmTraces(connection, route, {
          tracers: [tracerWithin(callTracer, seconds)],
          step,
          ...(finality === undefined ? {} : { finality }),
        })
      },
      overlapping: [`evm-traces/${chainId}`],
      outputs: [{ tables, read: readEvmTraces }],
    }
    return [{ stream: evmBlockStream('evm-traces', answers, step), walk, chain: answers }]
  },
})
