import { decodeCb58, encodeCb58 } from './cb58.ts'
import { DecodeError } from './errors.ts'
import { cached } from './text-cache.ts'

const prefix = 'NodeID-'

/** Returns `NodeID-` and CB58. A node id has 20 bytes on the primary network, and any length for validators of an L1. */
export const nodeIdText = cached(20, (bytes) => prefix + encodeCb58(bytes))

/** Returns the bytes of `NodeID-…`. Throws `DecodeError`. */
export function nodeIdBytes(text: string): Uint8Array {
  if (!text.startsWith(prefix)) throw new DecodeError(`${JSON.stringify(text)} does not begin with ${prefix}.`)
  return decodeCb58(text.slice(prefix.length))
}
