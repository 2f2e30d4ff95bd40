import { evmBalances } from '../schemas/evm-balances.ts'
import { balanceRow } from '../src/decode/evm/cell-rows.ts'
import { evmAddresses } from './shared/evm-lists.ts'
import { accounts } from './shared/node-parameters.ts'
import { type StateSubject, statePipeline } from './shared/state-pipeline.ts'

export const evmBalancesPipeline = statePipeline({
  name: 'evm-balances',
  comment: 'Balances of accounts of an EVM chain at listed blocks or at every n-th block, from its JSON-RPC.',
  parameters: { addresses: accounts },
  table: evmBalances,
  subjects: ({ addresses }) => evmAddresses(addresses).map(balanceSubject),
})

export function balanceSubject(address: string): StateSubject {
  return {
    key: { address },
    calls: (block) => [{ method: 'eth_getBalance', params: [address, block] }],
    read: (cell, context) => balanceRow(cell, context, address),
  }
}
