import { derivedView, viewColumn } from '../../src/define/index.ts'
import { evmTraces } from '../evm-traces.ts'

const trace = evmTraces.columns

export const evmFourByteCounts = derivedView({
  name: 'evm_four_byte_counts',
  comment:
    'Calls of each transaction of an EVM chain by the selector of the function and the length of its arguments, as the tracer 4byteTracer counts them: the transaction itself, and calls within it except creations and calls of precompiled contracts (addresses up to 0xffff).',
  dependsOn: ['evm_traces'],
  columns: {
    network: viewColumn(trace.network),
    chain_id: viewColumn(trace.chain_id),
    block_number: viewColumn(trace.block_number),
    block_time: viewColumn(trace.block_time),
    transaction_index: viewColumn(trace.transaction_index),
    transaction_hash: viewColumn(trace.transaction_hash),
    selector: {
      type: 'VARCHAR',
      comment:
        'First four bytes of the input, as 0x and eight digits: the function. Of a transaction that creates a contract: of its code.',
    },
    argument_bytes: { type: 'BIGINT', comment: 'Length of the rest of the input in bytes.' },
    call_count: { type: 'BIGINT', comment: 'Number of such calls, reverted ones included.' },
  },
})
