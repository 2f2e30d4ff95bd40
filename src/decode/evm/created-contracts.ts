import { createdBy } from '../../../codec/evm/state-diffs.ts'
import { address, type Fields, objects, optionalAddress, u64 } from './fields.ts'

/** The contract that each transaction of a block creates itself; null for other transactions. */
export function createdContracts(block: Fields): (string | null)[] {
  return objects(block, 'transactions').map((at) =>
    createdBy({
      from: address(at, 'from'),
      to: optionalAddress(at, 'to'),
      nonce: `0x${u64(at, 'nonce').toString(16)}`,
    }),
  )
}
