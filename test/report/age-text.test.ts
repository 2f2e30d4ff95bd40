import { expect, test } from 'vitest'
import { ageText } from '../../src/report/age-text.ts'

const hour = 3_600_000
test.each([
  [400, 'less than 1 s'],
  [40_000, '40 s'],
  [140_000, '2 min'],
  [2 * hour + 600_000, '2 h'],
  [388 * 24 * hour + 3 * hour, '388 days'],
])('an age of %d ms is %s', (milliseconds, text) => {
  expect(ageText(milliseconds)).toBe(text)
})
