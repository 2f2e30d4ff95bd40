import { describe, expect, test } from 'vitest'
import { parseNodeUrl, parsers, parseWhole } from '../../src/cli/settings.ts'

describe('parseWhole', () => {
  test('reads digits', () => {
    expect(parseWhole('--from', '0')).toBe(0)
    expect(parseWhole('--from', '9007199254740991')).toBe(Number.MAX_SAFE_INTEGER)
  })
  test.each(['', '-1', '1.5', '1e3', '0x10', 'abc', '9007199254740992', ' 1'])('refuses %j', (text) => {
    expect(() => parseWhole('--from', text)).toThrow(/^--from must be a whole number from 0/)
  })
  test('refuses numbers below the minimum', () => {
    expect(() => parseWhole('--tries', '0', 1)).toThrow(/from 1/)
  })
})

describe('a lag', () => {
  test.each([
    ['0', 0],
    ['0s', 0],
    ['0.0ms', 0],
    ['60', 60_000],
    ['500ms', 500],
  ])('%s is %d ms', (text, ms) => expect(parsers.lag('--max-lag', text)).toBe(ms))
  test('refuses what is no duration', () => {
    for (const text of ['-1', '', 'never', '0d', '0.1ms'])
      expect(() => parsers.lag('--max-lag', text)).toThrow(/^--max-lag must be a duration/)
  })
})

describe('a duration', () => {
  test.each([
    ['30', 30_000],
    ['500ms', 500],
    ['1.5s', 1_500],
    ['2m', 120_000],
    ['1h', 3_600_000],
  ])('%s is %d ms', (text, ms) => expect(parsers.duration('--timeout', text)).toBe(ms))
  test.each(['', '0', '-5s', '5 s', '1d', '99999h', 'soon'])('refuses %j', (text) => {
    expect(() => parsers.duration('--timeout', text)).toThrow(/^--timeout must be a duration/)
  })
})

describe('parseNodeUrl', () => {
  test.each(['http://127.0.0.1:9650', 'https://host/prefix/', 'http://[::1]:9650'])('accepts %s', (url) => {
    expect(parseNodeUrl('--node-url', url)).toBe(url)
  })
  test.each(['localhost:9650', 'not a url', 'ftp://host', 'http://', ''])('refuses %j', (url) => {
    expect(() => parseNodeUrl('CHAINLAKE_NODE_URL', url)).toThrow(/^CHAINLAKE_NODE_URL: The URL/)
  })
})
