/** What nodes write numbers, hashes and bytes as: `0x` and hex digits, in lower case as a rule. */

const hexDigits = /^0x[0-9a-f]+$/i

/** What a character counts as a hex digit in lower case, as nodes write them; 16 for one that is none. */
const digits = new Uint8Array(2 ** 16).fill(16)
for (const [digit, character] of [...'0123456789abcdef'].entries()) digits[character.charCodeAt(0)] = digit

/** Whether a value is a text of `0x` and digits in either case. */
export function isHex(value: unknown): value is string {
  return typeof value === 'string' && (isLowerHex(value) || hexDigits.test(value))
}

/** Whether a text is `0x` and digits in lower case. Without a branch for each it takes a third of the time. */
export function isLowerHex(text: string): boolean {
  if (text.length < 3 || text.charCodeAt(0) !== 0x30 || text.charCodeAt(1) !== 0x78) return false
  let all = 0
  for (let at = 2; at < text.length; at++) all |= digits[text.charCodeAt(at)]!
  return all < 16
}

/** Hex texts of up to 52 bits are exact as numbers, which are read ten times faster. */
export const shortText = 2 + 13

/** The number in a short hex text in lower case; -1 for any other value. */
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

/** A text of so many hex digits in lower case; null for anything else. */
export function lowerHex(value: unknown, length: number): string | null {
  if (typeof value !== 'string' || value.length !== 2 + length) return null
  if (isLowerHex(value)) return value
  return hexDigits.test(value) ? value.toLowerCase() : null
}

const noBytes = Buffer.alloc(0)

/** The bytes of a hex text; null for anything else. */
export function bytesOf(value: unknown): Uint8Array | null {
  // Most transactions only transfer: they have no input.
  if (value === '0x') return noBytes
  if (typeof value !== 'string' || !value.startsWith('0x') || value.length % 2 !== 0) return null
  const bytes = Buffer.from(value.slice(2), 'hex')
  // Of characters beyond a byte Node takes the lower one for a digit.
  return bytes.length * 2 === value.length - 2 && Buffer.byteLength(value) === value.length ? bytes : null
}
