/** A set of fingerprints (integers below 2^53) without false negatives and with few false positives. */
export type BloomFilter = {
  add(fingerprint: number): void
  /** False: the fingerprint was never added. True: it may have been added. */
  mayHave(fingerprint: number): boolean
}

/** With this number of bits and probes per fingerprint, the rate of false positives is 1 in 50,000. */
const bitsEach = 24
const probes = 10

/** Size in bytes of a filter for `capacity` fingerprints. */
export function bloomFilterBytes(capacity: number): number {
  return 4 * Math.ceil((Math.max(1, capacity) * bitsEach) / 32)
}

/** With more than `capacity` fingerprints, the filter has more false positives, but still no false negatives. */
export function createBloomFilter(capacity: number): BloomFilter {
  const words = new Uint32Array(bloomFilterBytes(capacity) / 4)
  const size = words.length * 32
  return {
    add(fingerprint) {
      let at = firstOf(fingerprint)
      const stride = strideOf(fingerprint)
      for (let probe = 0; probe < probes; probe++) {
        const bit = spotOf(at, size)
        words[bit >>> 5]! |= 1 << (bit & 31)
        at = (at + stride) | 0
      }
    },
    mayHave(fingerprint) {
      let at = firstOf(fingerprint)
      const stride = strideOf(fingerprint)
      for (let probe = 0; probe < probes; probe++) {
        const bit = spotOf(at, size)
        if (((words[bit >>> 5]! >>> (bit & 31)) & 1) === 0) return false
        at = (at + stride) | 0
      }
      return true
    },
  }
}

/** The first probe. Each further probe adds the stride. */
function firstOf(fingerprint: number): number {
  return mixed(fingerprint ^ Math.imul(fingerprint / 2 ** 32, 0x9e3779b1))
}

function strideOf(fingerprint: number): number {
  return mixed((fingerprint / 2 ** 32) ^ Math.imul(fingerprint, 0x85ebca77)) | 1
}

/** The finalizer of MurmurHash3. */
function mixed(half: number): number {
  let bits = half
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return bits ^ (bits >>> 16)
}

/** Maps 32 bits to one of `size` positions with equal probability. */
function spotOf(bits: number, size: number): number {
  return Math.floor(((bits >>> 0) / 2 ** 32) * size)
}
