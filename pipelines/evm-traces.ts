import { evmTraces } from '../schemas/evm-traces.ts'
import { readEvmTraces } from '../src/decode/evm/read-traces.ts'
import { pipeline, type Range } from '../src/define/index.ts'
import type { EvmBlockTraces } from '../src/model.ts'
import {
  askEvmChain,
  evmBlockStream,
  evmChainParameter,
  evmRangeParameters,
  tracerTimeout,
} from './shared/evm-chain.ts'
import { usualUnit } from './shared/index-parameters.ts'
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
  async streams(
    { chain, unit = usualUnit, finality, step = 1, 'tracer-timeout': seconds, 'ws-url': wsUrl, ...part },
    facts,
  ) {
    const bounds = requestedBounds(part)
    const answers = await askEvmChain(chain, facts, wsUrl)
    const { endpoint, heads, route, network, chainId } = answers
    const tracer = { tracer: 'callTracer', ...(seconds === undefined ? {} : { timeout: `${seconds}s` }) }
    const walk: Range<EvmBlockTraces> = {
      kind: 'range',
      record: 'block',
      what: `the traces of chain ${chainId}`,
      endpoint,
      heads,
      source: async (connection) => {
        const { createEvmTraces } = await import('../src/sources/traces/evm-traces.ts')
        return createEvmTraces(connection, route, {
          tracers: [tracer],
          step,
          ...(finality === undefined ? {} : { finality }),
        })
      },
      ...bounds,
      unit: unit * step,
      overlapping: [`evm-traces/${chainId}`],
      order: 'chain',
      outputs: [{ tables, read: readEvmTraces }],
      context: { network, chainId },
      linkOf: null,
      notice: null,
    }
    return [{ stream: evmBlockStream('evm-traces', answers, step), walk }]
  },
})
