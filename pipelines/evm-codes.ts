import { evmCodes } from '../schemas/evm-codes.ts'
import { evmAddresses } from './shared/evm-lists.ts'
import { accounts } from './shared/node-parameters.ts'
import { statePipeline } from './shared/state-pipeline.ts'
import { codeSubject } from './shared/state-subjects.ts'

export const evmCodesPipeline = statePipeline({
  name: 'evm-codes',
  comment: 'Codes of accounts of an EVM chain at listed blocks or at every n-th block, from its JSON-RPC.',
  parameters: { addresses: accounts },
  table: evmCodes,
  subjects: ({ addresses }) => evmAddresses(addresses).map(codeSubject),
})
