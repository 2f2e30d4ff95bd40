import { derivedView, viewColumn } from '../../src/define/index.ts'
import { evmTraces } from '../evm-traces.ts'

const trace = evmTraces.columns

export const evmInternalTransfers = derivedView({
  name: 'evm_internal_transfers',
  comment:
    'One row per amount of the native token that a call within a transaction of an EVM chain moved. Amounts of transactions themselves are in evm_transactions. A DELEGATECALL and a CALLCODE move nothing. Arbitrum writes what the chain itself moves, such as a withdrawal, as INVALID.',
  dependsOn: ['evm_traces'],
  columns: {
    network: viewColumn(trace.network),
    chain_id: viewColumn(trace.chain_id),
    block_number: viewColumn(trace.block_number),
    block_time: viewColumn(trace.block_time),
    transaction_index: viewColumn(trace.transaction_index),
    transaction_hash: viewColumn(trace.transaction_hash),
    trace_index: viewColumn(trace.trace_index),
    trace_address: viewColumn(trace.trace_address),
    call_type: viewColumn(
      trace.call_type,
      'CALL, CREATE, CREATE2 or SELFDESTRUCT; INVALID for what the chain itself moved.',
    ),
    from_address: viewColumn(trace.from_address, 'Contract that sent the amount.'),
    to_address: viewColumn(trace.to_address, 'Receiver.'),
    value: viewColumn(trace.value, 'Amount in wei; null when it has more than 38 digits.'),
    value_raw: viewColumn(trace.value_raw),
  },
})
