import { hash } from 'node:crypto'

/** The 64-bit key of an advisory lock, from its name. PostgreSQL keeps locks per database, and so per lake. */
export function lockKey(name: string): bigint {
  return BigInt.asIntN(64, BigInt(`0x${hash('sha256', `chainlake ${name}`).slice(0, 16)}`))
}
