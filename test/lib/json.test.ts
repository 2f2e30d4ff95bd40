import { expect, test } from 'vitest'
import { NestingError, parseFastJson, parseLosslessJson } from '../../src/lib/json.ts'

const both = [parseFastJson, parseLosslessJson]
const nested = (levels: number) => `${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`

test.each(both)('%o reads a thousand levels and no more, however the text goes on', (parse) => {
  expect(JSON.stringify(parse(nested(1000)))).toBe(nested(1000))
  expect(() => parse(nested(1002))).toThrow(NestingError)
  expect(() => parse('['.repeat(100_000) + ']'.repeat(100_000))).toThrow('nested deeper than 1,000 levels')
  expect(() => parse('['.repeat(5_000_000))).toThrow(NestingError)
})

test.each(both)('%o takes brackets in texts for text', (parse) => {
  const tricky = JSON.stringify([`${'['.repeat(2000)}"`, `\\"${'{'.repeat(2000)}\\`, { '[[\\"[': ']' }, [], {}])
  expect(parse(tricky)).toEqual(JSON.parse(tricky))
  expect(parse(JSON.stringify(Array.from({ length: 5000 }, () => [{}])))).toHaveLength(5000)
})

test.each(both)('%o refuses what is no JSON, wherever it was cut off', (parse) => {
  const whole = '{"a":["b\\"[",{"c":1}]}'
  for (let length = 0; length < whole.length; length++)
    expect(() => parse(whole.slice(0, length)), whole.slice(0, length)).toThrow(SyntaxError)
})
