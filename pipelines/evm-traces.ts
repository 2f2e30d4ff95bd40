import { evmTraces } from '../schemas/evm-contracts.ts'
import { readEvmTraces } from '../src/decode/evm/traces.ts'
import { evmBlockPipeline, tracerTimeout } from './shared/evm-chain.ts'

const tables = { traces: evmTraces }

export const evmTracesPipeline = evmBlockPipeline({
  name: 'evm-traces',
  comment:
    'Every call of the transactions of an EVM chain, with calls between contracts, from the call tracer of a node. The node needs its debug API, and for old blocks their state (archive node).',
  parameters: { 'tracer-timeout': tracerTimeout },
  tables,
  what: 'the traces',
  source: async (connection, route, options, { 'tracer-timeout': seconds }) => {
    const { callTracer, createEvmTraces, tracerWithin } = await import('../src/sources/evm-traces.ts')
    return createEvmTraces(connection, route, { ...options, tracers: [tracerWithin(callTracer, seconds)] })
  },
  outputs: () => [{ tables, read: readEvmTraces }],
})
