import { evmNonces } from '../schemas/evm-state.ts'
import { accounts } from './shared/node.ts'
import { evmAddresses } from './shared/parameters.ts'
import { nonceSubject, statePipeline } from './shared/state-pipeline.ts'

export const evmNoncesPipeline = statePipeline({
  name: 'evm-nonces',
  comment: 'Nonces of accounts of an EVM chain at listed blocks or at every n-th block, from its JSON-RPC.',
  parameters: { addresses: accounts },
  table: evmNonces,
  subjects: ({ addresses }) => evmAddresses(addresses).map(nonceSubject),
})
