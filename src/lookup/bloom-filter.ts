/** A set of fingerprints, integers below 2^53, that never denies one that it was given and seldom claims one that it was not. */
export type BloomFilter = {
  add(fingerprint: number): void
  /** False: it was never given. True: perhaps it was. */
  mayHave(fingerprint: number): boolean
}

/** With so many bits and probes for a fingerprint, one of 50,000 that were never given is claimed. */
const bitsEach = 24
const probes = 10

/** Bytes that a filter for so many fingerprints takes. */
export function bloomFilterBytes(capacity: number): number {
  return 4 * Math.ceil((Math.max(1, capacity) * bitsEach) / 32)
}

/** A filter that gets vague, never wrong, when it is given more fingerprints than it is made for. */
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

/** The first probe; each further one is a stride on. */
function firstOf(fingerprint: number): number {
  return mixed(fingerprint ^ Math.imul(fingerprint / 2 ** 32, 0x9e3779b1))
}

function strideOf(fingerprint: number): number {
  return mixed((fingerprint / 2 ** 32) ^ Math.imul(fingerprint, 0x85ebca77)) | 1
}

/** As MurmurHash3 ends. */
function mixed(half: number): number {
  let bits = half
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return bits ^ (bits >>> 16)
}

/** 32 bits as one of `size` spots, each as likely as the others. */
function spotOf(bits: number, size: number): number {
  return Math.floor(((bits >>> 0) / 2 ** 32) * size)
}
