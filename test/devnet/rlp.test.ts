import { expect, test } from 'vitest'
import { encodeRlp, type Rlp } from '../../devnet/c/rlp.ts'

const text = (value: string) => new TextEncoder().encode(value)
const hex = (value: Rlp) => Buffer.from(encodeRlp(value)).toString('hex')

const lorem = 'Lorem ipsum dolor sit amet, consectetur adipisicing elit'

/** The examples of the RLP specification. */
test.each<[string, Rlp]>([
  ['83646f67', text('dog')],
  ['c88363617483646f67', [text('cat'), text('dog')]],
  ['80', text('')],
  ['c0', []],
  ['80', 0],
  ['80', 0n],
  ['00', Uint8Array.of(0)],
  ['0f', 15],
  ['8180', 128],
  ['820400', 1024],
  ['88ffffffffffffffff', 2n ** 64n - 1n],
  ['c7c0c1c0c3c0c1c0', [[], [[]], [[], [[]]]]],
  ['c0', { encoded: Uint8Array.of(0xc0) }],
  [`b838${Buffer.from(lorem).toString('hex')}`, text(lorem)],
])('the RLP encoding of a specification example is %s', (expected, value) => {
  expect(hex(value)).toBe(expected)
})

test('a list of 3000 strings has the right length prefixes', () => {
  const items = Array.from({ length: 3_000 }, () => new Uint8Array(100).fill(7))
  const encoded = encodeRlp(items)
  const payload = 3_000 * 102
  expect(encoded.length).toBe(payload + 4)
  expect(Buffer.from(encoded.subarray(0, 6)).toString('hex')).toBe(`fa${payload.toString(16).padStart(6, '0')}b864`)
})
