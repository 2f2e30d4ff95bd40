import { hash } from 'node:crypto'

/** The key of an advisory lock by its name: 64 bits, as PostgreSQL has them. Locks are of one database, and so of one lake. */
export function lockKey(name: string): bigint {
  return BigInt.asIntN(64, BigInt(`0x${hash('sha256', `chainlake ${name}`).slice(0, 16)}`))
}
