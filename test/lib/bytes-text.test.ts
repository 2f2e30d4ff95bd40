import { expect, test } from 'vitest'
import { bytesText } from '../../src/lib/text.ts'

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1.0 kB'],
  [999_949, '999.9 kB'],
  [999_999, '1.0 MB'],
  [12_345_678, '12.3 MB'],
])('%d bytes are %s', (bytes, text) => expect(bytesText(bytes)).toBe(text))
