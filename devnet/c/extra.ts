import { since } from '../network/eras.ts'
import { warpAddress } from './calls.ts'
import type { CState } from './state.ts'

const feeWindow = 80
const feeState = 24

/**
 * The extra data of a header (wire-format.md 1.8): the fee window since Apricot 3, the fee state since Fortuna, and neither since Helicon.
 * Since Durango the results of warp predicates follow, by transaction.
 */
export function extraData({ network }: CState, warpHashes: readonly Uint8Array[]): Uint8Array {
  const { era } = network
  const fee = !since(era, 'apricot3') || since(era, 'helicon') ? 0 : since(era, 'etna') ? feeState : feeWindow
  const results = since(era, 'durango') ? predicateResults(warpHashes) : nothing
  const extra = new Uint8Array(fee + results.length)
  // Gas counters of 8 bytes each, with small numbers.
  for (let at = 5; at < fee; at += 8) extra.set(network.noise(3), at)
  extra.set(results, fee)
  return extra
}

const nothing = new Uint8Array()

/** Codec version, then a map by transaction of maps by precompile. An empty bit set means that no predicate failed. */
function predicateResults(hashes: readonly Uint8Array[]): Uint8Array {
  const entry = 32 + 4 + 20 + 4
  const bytes = Buffer.alloc(6 + hashes.length * entry)
  bytes.writeUInt32BE(hashes.length, 2)
  hashes.toSorted(Buffer.compare).forEach((hash, position) => {
    const at = 6 + position * entry
    bytes.set(hash, at)
    bytes.writeUInt32BE(1, at + 32)
    bytes.set(warpAddress, at + 36)
  })
  return bytes
}
