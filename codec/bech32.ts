import { bech32 } from '@scure/base'
import { DecodeError } from './errors.ts'
import { cached } from './text-cache.ts'

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

/** Returns an encoder of bytes to bech32 text (BIP 173) with one human-readable part. */
function encoder(hrp: string): (bytes: Uint8Array) => string {
  const start = stateAfter(hrp, hrp.length)
  return (bytes) => {
    let state = start
    let text = `${hrp}1`
    let bits = 0
    let held = 0
    const put = (value: number) => {
      state = step(state, value)
      text += letters[value]!
    }
    for (const byte of bytes) {
      held = ((held << 8) | byte) & 0xfff
      for (bits += 8; bits >= 5; bits -= 5) put((held >>> (bits - 5)) & 31)
    }
    if (bits > 0) put((held << (5 - bits)) & 31)
    for (let i = 0; i < 6; i++) state = step(state, 0)
    state ^= 1
    for (let i = 0; i < 6; i++) text += letters[(state >>> (5 * (5 - i))) & 31]!
    return text
  }
}

const encoders = new Map<string, (bytes: Uint8Array) => string>()

/** Returns the text of a 20-byte address without chain prefix, such as `avax1…`. A cache keeps the texts of repeated addresses. */
export function addressText(hrp: string, bytes: Uint8Array): string {
  let encode = encoders.get(hrp)
  if (encode === undefined) {
    encode = cached(20, encoder(hrp))
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

const valueOfLetter = new Int8Array(128)
for (const [value, letter] of [...letters].entries()) valueOfLetter[letter.charCodeAt(0)] = value

/** Returns whether the checksum of an address in lower case, without chain prefix, is right. */
export function hasChecksum(address: string): boolean {
  const end = address.lastIndexOf('1')
  let state = stateAfter(address, end)
  for (let at = end + 1; at < address.length; at++) state = step(state, valueOfLetter[address.charCodeAt(at)]!)
  return state === 1
}
