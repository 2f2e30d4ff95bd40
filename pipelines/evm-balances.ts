import { evmBalances } from '../schemas/evm-balances.ts'
import { evmAddresses } from './shared/evm-lists.ts'
import { accounts } from './shared/node-parameters.ts'
import { statePipeline } from './shared/state-pipeline.ts'
import { balanceSubject } from './shared/state-subjects.ts'

export const evmBalancesPipeline = statePipeline({
  name: 'evm-balances',
  comment: 'Balances of accounts of an EVM chain at listed blocks or at every n-th block, from its JSON-RPC.',
  parameters: { addresses: accounts },
  table: evmBalances,
  subjects: ({ addresses }) => evmAddresses(addresses).map(balanceSubject),
})
