import { expect, test } from 'vitest'
import { isWellFormed } from '../../src/lib/text.ts'

test('a text is well-formed unless it has a surrogate without its other half', () => {
  for (const text of ['', 'memo', 'ä€', '😀']) expect(isWellFormed(text), text).toBe(true)
  for (const text of ['\ud83d', 'a\ude00b', '\ude00\ud83d']) expect(isWellFormed(text)).toBe(false)
})
