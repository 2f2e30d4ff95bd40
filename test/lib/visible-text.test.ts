import { expect, test } from 'vitest'
import { visibleText } from '../../src/lib/text.ts'

test('control characters become visible', () => {
  expect(visibleText('\u001b[2J\u001b]0;title\u0007\r\b\u007f')).toBe(
    '\\u001b[2J\\u001b]0;title\\u0007\\u000d\\u0008\\u007f',
  )
  expect(visibleText('\u009b31m \u202Eevil\u2066 \u2028')).toBe('\\u009b31m \\u202eevil\\u2066 \\u2028')
})

test('lines, tabs, letters of all scripts and symbols stay unchanged', () => {
  const text = 'a\tb\n  ^ Zürich ✓ 東京 \\u001b 🎉 שלום'
  expect(visibleText(text)).toBe(text)
})

test('JSON keeps its value', () => {
  const value = { text: '\u001b \u009b \u202e "\\' }
  expect(JSON.parse(visibleText(JSON.stringify(value)))).toEqual(value)
})
