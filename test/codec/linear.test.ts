import { describe, expect, test } from 'vitest'
import {
  bool,
  bytes,
  decodeExactly,
  decodeOrNull,
  decodeWithSpans,
  encode,
  fixed,
  i64,
  list,
  spanned,
  struct,
  text,
  u8,
  u16,
  u32,
  u64,
  union,
  versioned,
} from '../../codec/linear.ts'
import { DecodeError } from '../../src/errors.ts'

const item = struct('Item', { amount: u64, name: text, open: bool })
const basket = struct('Basket', { owner: bytes, items: list(spanned(item)) })
const schema = versioned(union('thing', { 3: basket, 5: item }))
const value = { type: 'Basket', owner: new Uint8Array([1, 2]), items: [{ amount: 7n, name: 'é', open: true }] } as const
const encoded = Buffer.from(
  '0000' + '00000003' + '000000020102' + '00000001' + '0000000000000007' + '0002c3a9' + '01',
  'hex',
)

const bytes4 = new Uint8Array([1, 2, 3, 4])

function failure(hex: string): DecodeError {
  try {
    decodeExactly(schema, Buffer.from(hex, 'hex'), 'thing')
  } catch (cause) {
    if (cause instanceof DecodeError) return cause
  }
  throw new Error('no DecodeError')
}

describe('the linear codec', () => {
  test('reads and writes a value with the same schema', () => {
    expect(Buffer.from(encode(schema, value))).toEqual(encoded)
    const { value: decoded, spans } = decodeWithSpans(schema, encoded, 'thing')
    expect(decoded).toEqual({ ...value, owner: new Uint8Array([1, 2]) })
    expect(spans).toEqual([16, 29])
  })

  test('decodes bytes as views of the input, without a copy', () => {
    const decoded = decodeExactly(schema, new Uint8Array(encoded), 'thing')
    expect(decoded.type === 'Basket' && decoded.owner.buffer.byteLength).toBe(encoded.length)
  })

  test.each([
    ['a cut value', encoded.toString('hex').slice(0, -2), 'thing.items[0].open', 28, /1 bytes expected, 0 left/],
    ['bytes left over', `${encoded.toString('hex')}00`, 'thing', 29, /1 bytes are left over/],
    ['a boolean of 2', `${encoded.toString('hex').slice(0, -2)}02`, 'thing.items[0].open', 28, /boolean/],
    ['text that is not UTF-8', encoded.toString('hex').replace('c3a9', 'c3c3'), 'thing.items[0].name', 26, /UTF-8/],
    ['another type', '000000000004', 'thing', 2, /thing of unknown type 4/],
    ['another version', '000100000003', 'thing', 0, /codec version 1/],
    ['a list that cannot be', '00000000000300000000ffffffff', 'thing.items', 10, /does not fit/],
    ['a length that cannot be', '000000000003fffffff0', 'thing.owner', 10, /bytes expected, 0 left/],
    ['nothing', '', 'thing', 0, /2 bytes expected/],
  ])('throws a DecodeError with path and offset for %s', (_, hex, path, offset, message) => {
    const error = failure(hex)
    expect(error.details).toMatchObject({ path, offset })
    expect(error.message).toMatch(message)
    expect(error.hint).toBeDefined()
  })

  test('returns null instead of the error with decodeOrNull', () => {
    expect(decodeOrNull(schema, new Uint8Array())).toBeNull()
    expect(decodeOrNull(schema, encoded)).not.toBeNull()
  })

  test('encodes every kind of value correctly while its buffer grows', () => {
    for (let filler = 0; filler < 600; filler++) {
      const full = {
        filler: new Uint8Array(filler).fill(1),
        a: 1,
        b: true,
        c: 2,
        d: 3,
        e: 4n,
        f: -5n,
        g: 'é',
        h: bytes4,
      }
      const whole = struct('Full', {
        filler: bytes,
        a: u8,
        b: bool,
        c: u16,
        d: u32,
        e: u64,
        f: i64,
        g: text,
        h: fixed(4),
      })
      expect(decodeExactly(whole, encode(whole, full), 'full')).toEqual(full)
    }
  })

  test('refuses to encode numbers out of range', () => {
    expect(() => encode(u16, 65_536)).toThrow(RangeError)
    expect(() => encode(u32, 1.5)).toThrow(RangeError)
    expect(() => encode(u32, -1)).toThrow(RangeError)
  })
})
