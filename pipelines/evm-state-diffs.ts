import {
  evmBalanceChanges,
  evmCodeChanges,
  evmNonceChanges,
  evmStateReads,
  evmStorageChanges,
} from '../schemas/evm-state.ts'
import { readEvmStateDiffs, readEvmStateReads } from '../src/decode/evm/state.ts'
import { p } from '../src/define/index.ts'
import { evmBlockPipeline, tracerTimeout } from './shared/evm-chain.ts'

const tables = {
  balances: evmBalanceChanges,
  nonces: evmNonceChanges,
  codes: evmCodeChanges,
  storage: evmStorageChanges,
}
const readTables = { reads: evmStateReads }

export const evmStateDiffsPipeline = evmBlockPipeline({
  name: 'evm-state-diffs',
  comment:
    'Balances, nonces, codes and storage slots that the transactions of an EVM chain changed, from the prestate tracer of a node. The node needs its debug API, and for old blocks their state (archive node).',
  parameters: {
    'tracer-timeout': tracerTimeout,
    reads: p.boolean('Also write the state that each transaction used, changed or not, to the table evm_state_reads.'),
  },
  tables,
  optional: { reads: readTables },
  what: 'the state changes',
  source: async (connection, route, options, { 'tracer-timeout': seconds, reads }) => {
    const { createEvmStateDiffs, prestateTracer, stateChangeTracer, tracerWithin } = await import(
      '../src/sources/evm-traces.ts'
    )
    const tracers = reads === true ? [stateChangeTracer, prestateTracer] : [stateChangeTracer]
    return createEvmStateDiffs(connection, route, {
      ...options,
      tracers: tracers.map((tracer) => tracerWithin(tracer, seconds)),
    })
  },
  outputs: ({ reads }) => [
    { tables, read: readEvmStateDiffs },
    ...(reads === true ? [{ tables: readTables, read: readEvmStateReads }] : []),
  ],
})
