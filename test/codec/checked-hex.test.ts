import { expect, test } from 'vitest'
import { bytesOfCheckedHex } from '../../codec/hash.ts'
import { recordedLines } from '../recorded.ts'

test('the checked hex of a recorded container gives its bytes without the checksum', () => {
  const { bytes } = JSON.parse(recordedLines('granite/p-containers')[0]!) as { bytes: string }
  expect(Buffer.from(bytesOfCheckedHex(bytes)).toString('hex')).toBe(bytes.slice(2, -8))
})

test.each([
  [null, 'no hex text'],
  ['00ff', 'no hex text'],
  ['0x', 'wrong length'],
  ['0x0011223', 'wrong length'],
  ['0x00112233', 'wrong length'],
  ['0x00112z3344', 'no hex digit at 6'],
  ['0x0011223344', 'wrong checksum'],
])('the checked hex %j is refused', (text, why) => {
  expect(() => bytesOfCheckedHex(text)).toThrow(why)
})
