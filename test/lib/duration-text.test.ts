import { expect, test } from 'vitest'
import { durationText } from '../../src/lib/text.ts'

test.each([
  [0.04, '0.0 s'],
  [4.21, '4.2 s'],
  [59.6, '1 min 00 s'],
  [185, '3 min 05 s'],
  [7_800, '2 h 10 min'],
  [273_600, '3 d 4 h'],
])('%d seconds are %s', (seconds, text) => expect(durationText(seconds)).toBe(text))
