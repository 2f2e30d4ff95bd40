import { expect, test } from 'vitest'
import { serviceOptions } from '../../../src/cli/commands/serve-devnet.ts'

test('the flags of the REST service set its options', () => {
  expect(serviceOptions({})).toEqual({ service: {}, tokens: {} })
  expect(
    serviceOptions({
      dialect: 'spec',
      bounds: 'exclusive',
      'units-per-minute': '6000',
      'api-key': 'free=8000, other',
      'token-life': '30s',
      'token-end': 'restart',
    }),
  ).toEqual({
    dialect: 'spec',
    bounds: 'exclusive',
    service: { unitsPerMinute: 6000, keys: { free: 8000, other: Number.POSITIVE_INFINITY } },
    tokens: { lifeMs: 30_000, end: 'restart' },
  })
})

test.each([
  [{ dialect: 'real' }, '--dialect must be one of node, spec, not "real".'],
  [{ bounds: 'both' }, '--bounds must be one of inclusive, exclusive, not "both".'],
  [{ 'token-end': 'die' }, '--token-end must be one of refuse, restart, not "die".'],
  [{ 'token-life': 'long' }, '--token-life must be a duration, not "long".'],
  [{ 'units-per-minute': '0' }, '--units-per-minute must be a whole number from 1, not "0".'],
  [{ 'api-key': 'a=b' }, '--api-key a must be a whole number from 1, not "b".'],
  [{ 'api-key': 'a,,b' }, '--api-key must be KEY=UNITS or KEY, not "".'],
  [{ 'api-key': 'a=1=2' }, '--api-key must be KEY=UNITS or KEY, not "a=1=2".'],
])('%j is refused', (flags, message) => {
  expect(() => serviceOptions(flags)).toThrow(message)
})
