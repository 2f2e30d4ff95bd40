import { evmNonces } from '../schemas/evm-nonces.ts'
import { nonceRow } from '../src/decode/evm/cell-rows.ts'
import { evmAddresses } from './shared/evm-lists.ts'
import { accounts } from './shared/node-parameters.ts'
import { type StateSubject, statePipeline } from './shared/state-pipeline.ts'

export const evmNoncesPipeline = statePipeline({
  name: 'evm-nonces',
  comment: 'Nonces of accounts of an EVM chain at listed blocks or at every n-th block, from its JSON-RPC.',
  parameters: { addresses: accounts },
  table: evmNonces,
  subjects: ({ addresses }) => evmAddresses(addresses).map(nonceSubject),
})

export function nonceSubject(address: string): StateSubject {
  return {
    key: { address },
    calls: (block) => [{ method: 'eth_getTransactionCount', params: [address, block] }],
    read: (cell, context) => nonceRow(cell, context, address),
  }
}
