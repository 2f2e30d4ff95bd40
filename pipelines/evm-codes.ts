import { evmCodes } from '../schemas/evm-state.ts'
import { accounts } from './shared/node.ts'
import { evmAddresses } from './shared/parameters.ts'
import { codeSubject, statePipeline } from './shared/state-pipeline.ts'

export const evmCodesPipeline = statePipeline({
  name: 'evm-codes',
  comment: 'Codes of accounts of an EVM chain at listed blocks or at every n-th block, from its JSON-RPC.',
  parameters: { addresses: accounts },
  table: evmCodes,
  subjects: ({ addresses }) => evmAddresses(addresses).map(codeSubject),
})
