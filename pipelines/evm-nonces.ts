import { evmNonces } from '../schemas/evm-nonces.ts'
import { evmAddresses } from './shared/evm-lists.ts'
import { accounts } from './shared/node-parameters.ts'
import { statePipeline } from './shared/state-pipeline.ts'
import { nonceSubject } from './shared/state-subjects.ts'

export const evmNoncesPipeline = statePipeline({
  name: 'evm-nonces',
  comment: 'Nonces of accounts of an EVM chain at listed blocks or at every n-th block, from its JSON-RPC.',
  parameters: { addresses: accounts },
  table: evmNonces,
  subjects: ({ addresses }) => evmAddresses(addresses).map(nonceSubject),
})
