import { evmBalanceChanges } from '../schemas/evm-balance-changes.ts'
import { evmCodeChanges } from '../schemas/evm-code-changes.ts'
import { evmNonceChanges } from '../schemas/evm-nonce-changes.ts'
import { evmStateReads } from '../schemas/evm-state-reads.ts'
import { evmStorageChanges } from '../schemas/evm-storage-changes.ts'
import { readEvmStateDiffs } from '../src/decode/evm/read-state-diffs.ts'
import { readEvmStateReads } from '../src/decode/evm/read-state-reads.ts'
import { p, pipeline, type Range } from '../src/define/index.ts'
import type { EvmBlockDiffs } from '../src/model.ts'
import {
  askEvmChain,
  evmBlockStream,
  evmBlockWalk,
  evmChainParameter,
  evmRangeParameters,
  tracerTimeout,
} from './shared/evm-chain.ts'
import { requestedBounds } from './shared/range-parameters.ts'

const tables = {
  balances: evmBalanceChanges,
  nonces: evmNonceChanges,
  codes: evmCodeChanges,
  storage: evmStorageChanges,
}
const readTables = { reads: evmStateReads }

export const evmStateDiffsPipeline = pipeline({
  name: 'evm-state-diffs',
  comment:
    'Balances, nonces, codes and storage slots that the transactions of an EVM chain changed, from the prestate tracer of a node. The node needs its debug API, and for old blocks their state (archive node).',
  parameters: {
    chain: evmChainParameter,
    ...evmRangeParameters,
    'tracer-timeout': tracerTimeout,
    reads: p.boolean('Also write the state that each transaction used, changed or not, to the table evm_state_reads.'),
  },
  reads: 'node',
  walks: ['range'],
  tables,
  optional: { reads: readTables },
  async streams(
    { chain, unit, finality, step = 1, 'tracer-timeout': seconds, reads, 'ws-url': wsUrl, ...part },
    facts,
  ) {
    const bounds = requestedBounds(part)
    const answers = await askEvmChain(chain, facts, { wsUrl, finality })
    const { route, chainId } = answers
    const walk: Range<EvmBlockDiffs> = {
      ...evmBlockWalk(answers, { bounds, unit, step }),
      what: `the state changes of chain ${chainId}`,
      source: async (connection) => {
        const [{ createEvmStateDiffs }, { prestateTracer, stateChangeTracer, tracerWithin }] = await Promise.all([
          import('../src/sources/traces/evm-state-diffs.ts'),
          import('../src/sources/traces/tracers.ts'),
        ])
        const tracers = reads === true ? [stateChangeTracer, prestateTracer] : [stateChangeTracer]
        return createEvmStateDiffs(connection, route, {
          tracers: tracers.map((tracer) => tracerWithin(tracer, seconds)),
          step,
          ...(finality === undefined ? {} : { finality }),
        })
      },
      overlapping: [`evm-state-diffs/${chainId}`],
      outputs: [
        { tables, read: readEvmStateDiffs },
        ...(reads === true ? [{ tables: readTables, read: readEvmStateReads }] : []),
      ],
    }
    const filled = reads === true ? { ...tables, ...readTables } : tables
    return [{ stream: evmBlockStream('evm-state-diffs', answers, step), tables: filled, walk, chain: answers }]
  },
})
