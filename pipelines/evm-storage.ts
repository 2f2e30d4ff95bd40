import { slotText } from '../codec/evm/state-diffs.ts'
import { evmStorage } from '../schemas/evm-state.ts'
import { p } from '../src/define/index.ts'
import { accounts } from './shared/node.ts'
import { evmAddresses } from './shared/parameters.ts'
import { statePipeline, storageSubject } from './shared/state-pipeline.ts'

export const evmStoragePipeline = statePipeline({
  name: 'evm-storage',
  comment: 'Storage slots of contracts of an EVM chain at listed blocks or at every n-th block, from its JSON-RPC.',
  parameters: {
    addresses: accounts,
    slots: p.list.required(
      'Storage slots to read of each address, as hexadecimal numbers; inline, from a file or a query.',
      { pattern: { source: '^0x[0-9a-fA-F]{1,64}$', says: 'must be 0x and up to 64 hexadecimal digits' } },
    ),
  },
  table: evmStorage,
  subjects({ addresses, slots }) {
    const own = [...new Set(slots.map(slotText))]
    return evmAddresses(addresses).flatMap((address) => own.map((slot) => storageSubject({ address, slot })))
  },
})
