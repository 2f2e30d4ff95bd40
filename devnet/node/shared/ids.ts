import { decodeBase58, decodeCb58 } from '../../../codec/ids.ts'

const checksumBytes = 4
const idBytes = 32

/** The node's error for a text that is not an id; null for a valid id. */
export function idMistake(text: string): string | null {
  const checked = decodeBase58(text)
  if (checked === null) return 'base58 decoding error: invalid base58 digit'
  if (checked.length < checksumBytes) return 'input string is smaller than the checksum size'
  try {
    const { length } = decodeCb58(text)
    return length === idBytes ? null : `expected ${idBytes} bytes but got ${length}`
  } catch {
    return 'invalid input checksum'
  }
}
