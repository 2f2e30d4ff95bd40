import { derivedView, viewColumn } from '../../src/define/index.ts'
import { evmTraces } from '../evm-traces.ts'

const trace = evmTraces.columns

export const evmContractsCreated = derivedView({
  name: 'evm_contracts_created',
  comment:
    'One row per contract that a transaction of an EVM chain or a contract created, from the traces. Creations that were reverted are left out. An address has several rows when a contract was destroyed and created again.',
  dependsOn: ['evm_traces'],
  columns: {
    network: viewColumn(trace.network),
    chain_id: viewColumn(trace.chain_id),
    contract_address: viewColumn(trace.to_address, 'Address of the contract.'),
    creator_address: viewColumn(
      trace.from_address,
      'Sender of the transaction, or the contract that created this one.',
    ),
    block_number: viewColumn(trace.block_number),
    block_time: viewColumn(trace.block_time),
    transaction_index: viewColumn(trace.transaction_index),
    transaction_hash: viewColumn(trace.transaction_hash),
    trace_index: viewColumn(trace.trace_index),
    depth: viewColumn(
      trace.depth,
      'Number of calls around the creation: 0 if the transaction itself creates the contract.',
    ),
    call_type: viewColumn(trace.call_type, 'CREATE or CREATE2.'),
    value: viewColumn(trace.value, 'Amount that the contract received, in wei; null when it has more than 38 digits.'),
    value_raw: viewColumn(trace.value_raw),
    init_code: viewColumn(trace.input, 'Code that created the contract, with its arguments.'),
    code: viewColumn(trace.output, 'Code of the contract; null where the node states none.'),
    gas_used: viewColumn(trace.gas_used, 'Gas that the creation used.'),
  },
})
