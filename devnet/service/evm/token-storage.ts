import { keccak256 } from '../../../codec/keccak.ts'

/** The slots in which compilers put the first variables of an ERC-20: balances by owner, allowances, supply. */
const balances = 0
export const supplySlot = word(2)

const known = new Map<string, string>()

/** The slot of the balance of an owner: the hash of the owner and the mapping's slot, as 64 hex digits. */
export function balanceSlot(owner: string): string {
  const found = known.get(owner)
  if (found !== undefined) return found
  const key = Buffer.from(owner.slice(2).padStart(64, '0') + word(balances), 'hex')
  const slot = Buffer.from(keccak256(key)).toString('hex')
  known.set(owner, slot)
  return slot
}

/** A number as 64 hex digits. */
export function word(value: number | bigint): string {
  return value.toString(16).padStart(64, '0')
}
