/** Nodes write numbers, hashes and bytes as `0x` and hex digits, usually in lower case. */

const hexDigits = /^0x[0-9a-f]+$/i

/** The value of each character as a lower-case hex digit; 16 for any other character. */
const digits = new Uint8Array(2 ** 16).fill(16)
for (const [digit, character] of [...'0123456789abcdef'].entries()) digits[character.charCodeAt(0)] = digit

/** Returns whether a value is a text of `0x` and hex digits in upper or lower case. */
export function isHex(value: unknown): value is string {
  return typeof value === 'string' && (isLowerHex(value) || hexDigits.test(value))
}

/** Returns whether a text is `0x` and hex digits in lower case. The loop has no branch per digit, which takes a third of the time. */
export function isLowerHex(text: string): boolean {
  if (text.length < 3 || text.charCodeAt(0) !== 0x30 || text.charCodeAt(1) !== 0x78) return false
  let all = 0
  for (let at = 2; at < text.length; at++) all |= digits[text.charCodeAt(at)]!
  return all < 16
}

/** The longest hex text that is exact as a number (52 bits). Numbers are read ten times faster. */
export const shortText = 2 + 13

/** Returns the number in a short lower-case hex text; -1 for any other value. */
export function shortNumber(value: unknown): number {
  if (typeof value !== 'string' || value.length > shortText || value.length < 3) return -1
  if (value.charCodeAt(0) !== 0x30 || value.charCodeAt(1) !== 0x78) return -1
  let all = 0
  let number = 0
  for (let at = 2; at < value.length; at++) {
    const digit = digits[value.charCodeAt(at)]!
    all |= digit
    number = number * 16 + digit
  }
  return all < 16 ? number : -1
}

/** Returns a text of `length` hex digits in lower case; null for any other value. */
export function lowerHex(value: unknown, length: number): string | null {
  if (typeof value !== 'string' || value.length !== 2 + length) return null
  if (isLowerHex(value)) return value
  return hexDigits.test(value) ? value.toLowerCase() : null
}

const noBytes = Buffer.alloc(0)

/** Returns the bytes of a hex text; null for any other value. */
export function bytesOf(value: unknown): Uint8Array | null {
  // Most transactions are plain transfers without input.
  if (value === '0x') return noBytes
  if (typeof value !== 'string' || !value.startsWith('0x') || value.length % 2 !== 0) return null
  const bytes = Buffer.from(value.slice(2), 'hex')
  // For a character above U+00FF, Node reads its low byte as a digit. The comparison of byte lengths detects this.
  return bytes.length * 2 === value.length - 2 && Buffer.byteLength(value) === value.length ? bytes : null
}
