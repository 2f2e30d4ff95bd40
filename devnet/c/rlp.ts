/** A value that RLP (yellow paper, appendix B) can encode. Numbers have no leading zeros; `encoded` is copied unchanged. */
export type Rlp = Uint8Array | number | bigint | readonly Rlp[] | Encoded
type Encoded = { readonly encoded: Uint8Array }

const strings = 0x80
const lists = 0xc0
/** The longest payload with a length that fits into the first byte. */
const shortest = 55

/** The buffer is filled from its end, so that each length is known before its prefix is written. */
let space = new Uint8Array(1 << 16)
let start = 0

/** RLP-encodes a value. This encoder is independent of the codec that reads RLP. */
export function encodeRlp(value: Rlp): Uint8Array {
  for (;;) {
    start = space.length
    if (put(value)) return space.slice(start)
    space = new Uint8Array(space.length * 2)
  }
}

/** Writes in front of the existing bytes; returns false if there is not enough space. */
function put(value: Rlp): boolean {
  if (typeof value === 'number') return putNumber(value)
  if (typeof value === 'bigint') return putBigint(value)
  if (value instanceof Uint8Array) return putString(value)
  if ('encoded' in value) return putBytes(value.encoded)
  const end = start
  for (let at = value.length - 1; at >= 0; at -= 1) if (!put(value[at]!)) return false
  return putPrefix(lists, end - start)
}

function putBytes(bytes: Uint8Array): boolean {
  if (bytes.length > start) return false
  start -= bytes.length
  space.set(bytes, start)
  return true
}

function putString(bytes: Uint8Array): boolean {
  if (!putBytes(bytes)) return false
  return bytes.length === 1 && bytes[0]! < strings ? true : putPrefix(strings, bytes.length)
}

function putNumber(value: number): boolean {
  const end = start
  if (!putDigits(value)) return false
  return value > 0 && value < strings ? true : putPrefix(strings, end - start)
}

/** Writes the bytes of a number; 0 has no bytes. */
function putDigits(value: number): boolean {
  for (let left = value; left > 0; left = Math.floor(left / 256)) {
    if (start === 0) return false
    start -= 1
    space[start] = left % 256
  }
  return true
}

function putBigint(value: bigint): boolean {
  if (value <= BigInt(Number.MAX_SAFE_INTEGER)) return putNumber(Number(value))
  const hex = value.toString(16)
  return putString(Buffer.from(hex.length % 2 === 1 ? `0${hex}` : hex, 'hex'))
}

function putPrefix(base: number, length: number): boolean {
  if (start < 9) return false
  const end = start
  if (length > shortest) putDigits(length)
  start -= 1
  space[start] = length > shortest ? base + shortest + (end - start - 1) : base + length
  return true
}
