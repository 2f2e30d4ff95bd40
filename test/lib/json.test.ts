import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NestingError, parseExactJson, parseLosslessJson, parseWrittenJson } from '../../src/lib/json.ts'
import { runs } from '../runs.ts'

const both = [parseLosslessJson, parseExactJson, parseWrittenJson]
const nested = (levels: number) => `${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`

test.each(both)('%o reads a thousand levels, and refuses more', (parse) => {
  expect(JSON.stringify(parse(nested(1000)))).toBe(nested(1000))
  expect(() => parse(nested(1002))).toThrow(NestingError)
  expect(() => parse('['.repeat(100_000) + ']'.repeat(100_000))).toThrow('nested deeper than 1,000 levels')
  expect(() => parse('['.repeat(5_000_000))).toThrow(NestingError)
})

test.each(both)('%o ignores brackets inside texts', (parse) => {
  const tricky = JSON.stringify([`${'['.repeat(2000)}"`, `\\"${'{'.repeat(2000)}\\`, { '[[\\"[': ']' }, [], {}])
  expect(parse(tricky)).toEqual(JSON.parse(tricky))
  expect(parse(JSON.stringify(Array.from({ length: 5000 }, () => [{}])))).toHaveLength(5000)
})

test.each(both)('%o refuses truncated JSON, wherever it was cut off', (parse) => {
  const whole = '{"a":["b\\"[",{"c":1}]}'
  for (let length = 0; length < whole.length; length++)
    expect(() => parse(whole.slice(0, length)), whole.slice(0, length)).toThrow(SyntaxError)
})

test('integers beyond 2^53 stay exact at every position', () => {
  const text = '{"a":["0x11111111111111111111",9007199254740993,-18446744073709551616,1234567890123456],"b":1.5e3}'
  expect(parseExactJson(text)).toEqual(parseLosslessJson(text))
  expect(parseExactJson(text)).toEqual({
    a: ['0x11111111111111111111', 9007199254740993n, -18446744073709551616n, 1234567890123456],
    b: 1500,
  })
  expect(parseExactJson('[999999999999999,0.1,"12345678901234567890"]')).toEqual([
    999999999999999,
    0.1,
    '12345678901234567890',
  ])
})

test('the exact parser returns the same values as the lossless parser', () => {
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 22 })
  const integer = fc
    .tuple(fc.constantFrom('', '-'), fc.bigInt({ min: 0n, max: 2n ** 70n }))
    .map(([sign, n]) => sign + n)
  const number = fc
    .tuple(
      integer,
      fc.option(digits),
      fc.option(fc.tuple(fc.constantFrom('e', 'E-', 'E+'), fc.integer({ min: 0, max: 30 }))),
    )
    .map(
      ([whole, fraction, exponent]) => `${whole}${fraction === null ? '' : `.${fraction}`}${(exponent ?? []).join('')}`,
    )
  const text = fc.oneof(digits, fc.string()).map((value) => JSON.stringify(value))
  const value = fc.oneof(integer, number, text)
  const objects = fc.array(fc.tuple(value, text), { maxLength: 4 })
  fc.assert(
    fc.property(objects, fc.constantFrom('', ' ', '\n'), (members, space) => {
      const json = `[${members.map(([one, other]) => `{"a":${space}${one}${space},"b":[${other},${one}]}`).join(`,${space}`)}]`
      expect(parseExactJson(json)).toEqual(parseLosslessJson(json))
    }),
    { numRuns: runs(500) },
  )
})

test('numbers that a double would round stay as they were written', () => {
  const rounded = ['0.1234567890123456789', '9007199254740991.4', '1e400', '-1e-400', '12345678901234567.0']
  for (const text of rounded) expect(String(parseWrittenJson(text)), text).toBe(text)
  const kept = '{"a":[0.30000000000000004,1.10,-0.0,1.5e3,9007199254740993,2.50e-7],"b":"0.1234567890123456789"}'
  expect(parseWrittenJson(kept)).toEqual(parseExactJson(kept))
})
