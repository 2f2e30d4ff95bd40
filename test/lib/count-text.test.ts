import { expect, test } from 'vitest'
import { countText } from '../../src/lib/text.ts'

test('counts have thousands separators', () => {
  expect(countText(1_234_567)).toBe('1,234,567')
  expect(countText(18446744073709551615n)).toBe('18,446,744,073,709,551,615')
})
