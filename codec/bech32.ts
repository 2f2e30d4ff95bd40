import { bech32 } from '@scure/base'
import { DecodeError } from './errors.ts'
import { cached } from './text-cache.ts'

const encoders = new Map<string, (bytes: Uint8Array) => string>()

/** Returns the text of a 20-byte address without chain prefix, such as `avax1…`. A cache keeps the texts of repeated addresses. */
export function addressText(hrp: string, bytes: Uint8Array): string {
  let encode = encoders.get(hrp)
  if (encode === undefined) {
    encode = cached(20, (address) => bech32.encodeFromBytes(hrp, address))
    encoders.set(hrp, encode)
  }
  return encode(bytes)
}

/** Returns the bytes of an address with or without chain prefix (`P-avax1…`). Throws `DecodeError`. */
export function addressBytes(text: string): Uint8Array {
  try {
    return bech32.decodeToBytes(text.slice(text.indexOf('-') + 1)).bytes
  } catch (cause) {
    throw new DecodeError(`${JSON.stringify(text)} is not an address.`, { cause })
  }
}

const letters = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const generator = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]
/** The sum (XOR) of the generators that the five highest bits of the state select. */
const feedback = Int32Array.from({ length: 32 }, (_, top) =>
  generator.reduce((sum, each, i) => ((top >>> i) & 1 ? sum ^ each : sum), 0),
)

function step(state: number, value: number): number {
  return ((state & 0x1ffffff) << 5) ^ value ^ feedback[state >>> 25]!
}

/** Returns the state of the checksum after the human-readable part, the first `end` letters of a text. */
function stateAfter(text: string, end: number): number {
  let state = 1
  for (let at = 0; at < end; at++) state = step(state, text.charCodeAt(at) >>> 5)
  state = step(state, 0)
  for (let at = 0; at < end; at++) state = step(state, text.charCodeAt(at) & 31)
  return state
}

const valueOfLetter = new Int8Array(128)
for (const [value, letter] of [...letters].entries()) valueOfLetter[letter.charCodeAt(0)] = value

/**
 * Returns whether the checksum of an address in lower case, without chain prefix, is right. Answers repeat addresses in every row: the library
 * takes nine times as long.
 */
export function hasChecksum(address: string): boolean {
  const end = address.lastIndexOf('1')
  let state = stateAfter(address, end)
  for (let at = end + 1; at < address.length; at++) state = step(state, valueOfLetter[address.charCodeAt(at)]!)
  return state === 1
}
