import { evmCodes } from '../schemas/evm-codes.ts'
import { codeRow } from '../src/decode/evm/cell-rows.ts'
import { evmAddresses } from './shared/evm-lists.ts'
import { accounts } from './shared/node-parameters.ts'
import { type StateSubject, statePipeline } from './shared/state-pipeline.ts'

export const evmCodesPipeline = statePipeline({
  name: 'evm-codes',
  comment: 'Codes of accounts of an EVM chain at listed blocks or at every n-th block, from its JSON-RPC.',
  parameters: { addresses: accounts },
  table: evmCodes,
  subjects: ({ addresses }) => evmAddresses(addresses).map(codeSubject),
})

export function codeSubject(address: string): StateSubject {
  return {
    key: { address },
    calls: (block) => [{ method: 'eth_getCode', params: [address, block] }],
    read: (cell, context) => codeRow(cell, context, address),
  }
}
