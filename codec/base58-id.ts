import { base58Text, limbBase } from './base58.ts'

/** An id with its checksum has 36 bytes: 18 words of 16 bits. Its text needs ten limbs of five base58 digits. */
const words = 18
const limbs = 10

/** Word `i` has the weight 2^(16 (17 - i)). Limb `j` of that weight, least significant first, is at `i * limbs + j`. */
const weights = new Float64Array(words * limbs)
for (let i = 0; i < words; i++) {
  let weight = 1n << BigInt(16 * (words - 1 - i))
  for (let j = 0; j < limbs; j++) {
    weights[i * limbs + j] = Number(weight % BigInt(limbBase))
    weight /= BigInt(limbBase)
  }
}

const sums = new Float64Array(limbs)
const digits = new Int32Array(limbs)

/** Adds up words times weights, limb by limb. Ten variables make this four times as fast as a loop over an array. */
function sumUp(bytes: Uint8Array): void {
  let s0 = 0
  let s1 = 0
  let s2 = 0
  let s3 = 0
  let s4 = 0
  let s5 = 0
  let s6 = 0
  let s7 = 0
  let s8 = 0
  let s9 = 0
  for (let i = 0, row = 0; i < 2 * words; i += 2, row += limbs) {
    const word = bytes[i]! * 256 + bytes[i + 1]!
    s0 += word * weights[row]!
    s1 += word * weights[row + 1]!
    s2 += word * weights[row + 2]!
    s3 += word * weights[row + 3]!
    s4 += word * weights[row + 4]!
    s5 += word * weights[row + 5]!
    s6 += word * weights[row + 6]!
    s7 += word * weights[row + 7]!
    s8 += word * weights[row + 8]!
    s9 += word * weights[row + 9]!
  }
  sums[0] = s0
  sums[1] = s1
  sums[2] = s2
  sums[3] = s3
  sums[4] = s4
  sums[5] = s5
  sums[6] = s6
  sums[7] = s7
  sums[8] = s8
  sums[9] = s9
}

/**
 * Returns the base58 text of 36 bytes: an id and its checksum. This is several times as fast as `encodeBase58`, because no carry moves
 * between limbs while summing. A sum stays below 18 * 2^16 * 2^30 < 2^53, so a double holds it exactly.
 */
export function encodeBase58Id(bytes: Uint8Array): string {
  sumUp(bytes)
  let carry = 0
  for (let j = 0; j < limbs; j++) {
    const sum = sums[j]! + carry
    carry = Math.floor(sum / limbBase)
    digits[j] = sum - carry * limbBase
  }
  let zeros = 0
  while (zeros < bytes.length && bytes[zeros] === 0) zeros++
  return base58Text(digits, limbs, zeros)
}
