import { DecodeError } from 'chainlake'

/** A quantity of JSON-RPC, such as 0x5d21dba00, up to 64 bits. It may pass 2^53, so it is a bigint. */
export function quantity(value, field) {
  if (typeof value === 'string' && /^0x[0-9a-f]{1,16}$/.test(value)) return BigInt(value)
  throw new DecodeError(`${field} of a block is no quantity: ${JSON.stringify(value)}.`)
}
