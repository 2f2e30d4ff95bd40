const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const letters = Uint8Array.from(alphabet, (letter) => letter.charCodeAt(0))
const digitOf = new Int8Array(128).fill(-1)
letters.forEach((letter, digit) => {
  digitOf[letter] = digit
})

/** 58^5: a limb holds five digits. This is the greatest power of 58 that fits 31 bits, and a double holds its product with 2^16 exactly. */
const limbBase = 58 ** 5

/** Most texts are ids: 36 bytes with their checksum, ten limbs. They share buffers. */
const limbsOfId = 10
const limbsOfIds = new Int32Array(limbsOfId + 1)
const textOfId = Buffer.alloc(36 + limbsOfId * 5)

/** Returns the base58 text of `bytes`. The encoder keeps limbs of five digits and adds 16 bits at a time. */
export function encodeBase58(bytes: Uint8Array): string {
  const { length } = bytes
  let zeros = 0
  while (zeros < length && bytes[zeros] === 0) zeros++
  const limbs = length <= 36 ? limbsOfIds : new Int32Array(Math.ceil(length * 0.274) + 1)
  let used = 0
  let at = zeros
  let shift = (length - zeros) % 2 === 1 ? 256 : 65536
  while (at < length) {
    let carry = shift === 256 ? bytes[at]! : bytes[at]! * 256 + bytes[at + 1]!
    at += shift === 256 ? 1 : 2
    for (let i = 0; i < used; i++) {
      const value = limbs[i]! * shift + carry
      carry = Math.floor(value / limbBase)
      limbs[i] = value - carry * limbBase
    }
    if (carry > 0) limbs[used++] = carry
    shift = 65536
  }
  return base58Text(limbs, used, zeros)
}

/** Returns the text of `used` limbs, least significant first, after one letter for each leading zero byte. */
function base58Text(limbs: Int32Array, used: number, zeros: number): string {
  const text = used === limbsOfId && zeros <= 36 ? textOfId : Buffer.allocUnsafe(zeros + used * 5)
  let start = text.length
  for (let i = 0; i < used; i++) {
    let limb = limbs[i]!
    for (let digit = 0; digit < 5; digit++) {
      const rest = (limb / 58) | 0
      text[--start] = letters[limb - rest * 58]!
      limb = rest
    }
  }
  while (start < text.length && text[start] === letters[0]) start++
  for (let i = 0; i < zeros; i++) text[--start] = letters[0]!
  return text.toString('latin1', start)
}

/** Returns the bytes of base58 text, or null if a character is not a base58 digit. */
export function decodeBase58(text: string): Uint8Array | null {
  let zeros = 0
  while (zeros < text.length && text[zeros] === '1') zeros++
  // Limbs of 24 bits, least significant first.
  const limbs: number[] = []
  for (let at = zeros; at < text.length; at++) {
    let carry = digitOf[text.charCodeAt(at)] ?? -1
    if (carry < 0) return null
    for (let i = 0; i < limbs.length; i++) {
      const value = limbs[i]! * 58 + carry
      limbs[i] = value & 0xffffff
      carry = value >>> 24
    }
    if (carry > 0) limbs.push(carry)
  }
  const digits = limbs.flatMap((limb) => [limb & 0xff, (limb >>> 8) & 0xff, limb >>> 16])
  while (digits.length > 0 && digits[digits.length - 1] === 0) digits.pop()
  const bytes = new Uint8Array(zeros + digits.length)
  for (let i = 0; i < digits.length; i++) bytes[bytes.length - 1 - i] = digits[i]!
  return bytes
}
