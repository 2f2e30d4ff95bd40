import { evmBalances } from '../schemas/evm-state.ts'
import { accounts } from './shared/node.ts'
import { evmAddresses } from './shared/parameters.ts'
import { balanceSubject, statePipeline } from './shared/state-pipeline.ts'

export const evmBalancesPipeline = statePipeline({
  name: 'evm-balances',
  comment: 'Balances of accounts of an EVM chain at listed blocks or at every n-th block, from its JSON-RPC.',
  parameters: { addresses: accounts },
  table: evmBalances,
  subjects: ({ addresses }) => evmAddresses(addresses).map(balanceSubject),
})
