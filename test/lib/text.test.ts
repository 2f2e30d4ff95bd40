import { expect, test } from 'vitest'
import { utf8Text } from '../../src/lib/text.ts'

test.each(['', 'ASCII', 'Zürich ✓', '\u{1F600}', '\ufffd', 'a\0b'])('%j is read from its bytes', (text) => {
  expect(utf8Text(Buffer.from(text))).toBe(text)
})

test('a byte order mark is no part of the text', () => {
  expect(JSON.parse(utf8Text(Buffer.from('\ufeff{"result": 1}')))).toEqual({ result: 1 })
})

test.each([
  ['a byte of Latin-1', [0x5a, 0xfc]],
  ['a text that was cut inside a character', [0xe2, 0x9c]],
  ['a lone surrogate', [0xed, 0xa0, 0x80]],
])('%s is refused', (_, bytes) => {
  expect(() => utf8Text(Buffer.from(bytes))).toThrow('its bytes are not UTF-8')
})
