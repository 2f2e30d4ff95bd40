import { describe, expect, test } from 'vitest'
import { topicOf } from '../../../src/decode/events/abi.ts'
import { eventDecoder, parseSignature } from '../../../src/decode/events/events.ts'
import { logOf } from './logs.ts'

const table = { name: 'evm_event_a' }

/** A word with this hex text at its end. */
const word = (text: string): string => text.padStart(64, '0')

function decode(parameters: string, words: readonly string[], topics: readonly string[] = []) {
  const event = parseSignature(`event A(${parameters})`, 'events')
  return eventDecoder(event, table).decode(
    logOf([topicOf(event), ...topics.map((topic) => `0x${topic}`)], `0x${words.join('')}`),
  )
}

function failureOf(...[parameters, words, topics]: Parameters<typeof decode>) {
  const decoded = decode(parameters, words, topics)
  return 'failure' in decoded ? [decoded.failure.reason, decoded.failure.parameter] : decoded
}

const f = 'f'.repeat(64)

describe('a log with data that the ABI does not allow', () => {
  test.each([
    ['short static data', 'uint8 a, uint8 b', [word('1')], ['short_data', null]],
    ['no data', 'uint8 a', [], ['short_data', null]],
    ['data that ends within a word', 'uint8 a', ['00'.repeat(31)], ['short_data', null]],
    ['trailing data of static types', 'uint8 a', [word('1'), '00'], ['trailing_data', null]],
    ['trailing data of an event without parameters', '', ['00'], ['trailing_data', null]],
    ['a text that is not there', 'string a', [word('20')], ['short_data', 'a']],
    ['a text without its padding', 'string a', [word('20'), word('2'), '6869'], ['short_data', 'a']],
    ['an offset beyond the data', 'string a', [word('ffff')], ['wrong_offset', 'a']],
    ['a length beyond the data', 'bytes a', [word('20'), word('ffff')], ['wrong_offset', 'a']],
    ['an offset of 256 bits', 'bytes a', [f], ['wrong_offset', 'a']],
    ['bits above a uint8', 'uint8 a', [word('100')], ['dirty_padding', 'a']],
    ['a wrong sign of an int8', 'int8 a', [word('80')], ['dirty_padding', 'a']],
    ['a bool of 2', 'bool a', [word('2')], ['dirty_padding', 'a']],
    ['bytes before an address', 'address a', [`01${word('').slice(2)}`], ['dirty_padding', 'a']],
    ['bytes after a bytes4', 'bytes4 a', [word('1')], ['dirty_padding', 'a']],
    ['bytes after a text', 'string a', [word('20'), word('1'), `61${'0'.repeat(60)}01`], ['dirty_padding', 'a']],
    ['bytes that are no text', 'string a', [word('20'), word('1'), `ff${'0'.repeat(62)}`], ['invalid_utf8', 'a']],
    ['an encoded surrogate', 'string a', [word('20'), word('3'), `eda080${'0'.repeat(58)}`], ['invalid_utf8', 'a']],
    [
      'two offsets of one list',
      'uint8[] a, uint8[] b',
      [word('40'), word('40'), word('1'), word('1')],
      ['overlapping_data', 'b'],
    ],
    ['an offset into the head', 'bytes a', [word('0')], ['overlapping_data', 'a']],
    ['a wrong topic', 'address indexed a', [], ['dirty_padding', 'a'], [f]],
    ['a wrong wide integer', 'uint248 a', [f], ['dirty_padding', 'a']],
  ])('is a failure with its reason: %s', (_, parameters, words, failure, topics = []) => {
    expect(failureOf(parameters, words, topics)).toEqual(failure)
  })

  test('keeps the raw log', () => {
    expect(decode('uint8 a', ['ab'])).toEqual({
      failure: expect.objectContaining({
        table_name: 'evm_event_a',
        contract: `0x${'02'.repeat(20)}`,
        data: Buffer.from([0xab]),
      }),
    })
  })

  test('cannot make a small log describe a large one', () => {
    const lists = Array.from({ length: 64 }, () => word((64 * 32).toString(16)))
    const inner = [word('40'), ...Array.from({ length: 64 }, () => word('1'))]
    expect(failureOf('uint8[][] a', [word('20'), word('40'), ...lists, ...inner])).toEqual(['overlapping_data', 'a'])
  })
})

describe('a log of an event', () => {
  test('may have values in any order behind its offsets, and further data', () => {
    const words = [word('80'), word('40'), word('1'), word('7'), word('1'), word('9'), word('5')]
    expect(decode('uint8[] a, uint8[] b', words)).toEqual({ row: expect.objectContaining({ a: [9], b: [7] }) })
  })

  test('has texts as they are: NUL and a byte order mark stay', () => {
    expect(decode('string a', [word('20'), word('4'), `efbbbf00${'0'.repeat(56)}`])).toEqual({
      row: expect.objectContaining({ a: '\uFEFF\u0000' }),
    })
  })

  test.each([
    ['uint256', f, (2n ** 256n - 1n).toString(), null],
    ['int256', f, '-1', -1n],
    ['int256', `8${'0'.repeat(63)}`, (-(2n ** 255n)).toString(), null],
    ['uint128', word((10n ** 38n - 1n).toString(16)), '9'.repeat(38), 10n ** 38n - 1n],
    ['uint128', word((10n ** 38n).toString(16)), `1${'0'.repeat(38)}`, null],
  ])('has wide integers as text, and as a number where it fits: %s %s', (type, value, text, number) => {
    expect(decode(`${type} a`, [value])).toEqual({ row: expect.objectContaining({ a_raw: text, a: number }) })
  })

  test('has as many topics as the event', () => {
    const event = parseSignature('event Transfer(address indexed from, address indexed to, uint256 value)', 'events')
    const decoder = eventDecoder(event, table)
    const address = `0x${word('1')}`
    expect(decoder.isOf(logOf([topicOf(event), address, address], '0x'))).toBe(true)
    // An ERC-721 token indexes the third parameter, too.
    expect(decoder.isOf(logOf([topicOf(event), address, address, address], '0x'))).toBe(false)
    expect(decoder.isOf(logOf([address, address, address], '0x'))).toBe(false)
  })

  test('of an anonymous event has no topic of its own', () => {
    const event = parseSignature('event Note(bytes4 indexed sig, address indexed guy) anonymous', 'events')
    const decoder = eventDecoder(event, table)
    const log = logOf([`0x${'12345678'.padEnd(64, '0')}`, `0x${word('1')}`], '0x')
    expect([decoder.topic, decoder.isOf(log)]).toEqual([null, true])
    expect(decoder.decode(log)).toEqual({
      row: expect.objectContaining({ sig: '0x12345678', guy: `0x${word('1').slice(24)}` }),
    })
  })
})
