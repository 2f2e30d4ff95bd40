import { describe, expect, test } from 'vitest'
import { chainMetricsList } from '../../../pipelines/chain-metrics.ts'
import { holdersList } from '../../../pipelines/holders.ts'
import { tpsList } from '../../../pipelines/tps.ts'
import { metricsChainPoints, metricsChainTps, metricsTokenHolders } from '../../../schemas/metrics.ts'
import { parseExactJson } from '../../../src/lib/json.ts'
import { versionHash } from '../../../src/lookup/row-identity.ts'
import { evmAddress } from '../made-ids.ts'
import { testContext } from './reading.ts'

const place = { network: 'mainnet', chain_id: '43114' }
const tps = tpsList({ ...place, interval: 'day' })

describe('points of a series', () => {
  const answer = { results: [{ timestamp: '1724716800', value: '1.98' }], status: '200', lastRun: 1724780812 }

  test('are read from texts too, and require both fields', () => {
    expect(tps(answer, testContext()).rows.points[0]).toMatchObject({ metric_value: 1.98, status: 200 })
    expect(() => tps({ results: [{ value: 1 }] }, testContext())).toThrow(
      'The answer has no field results[0].timestamp.',
    )
    expect(() => tps({ results: [{ timestamp: 1 }] }, testContext())).toThrow(
      'The answer has no field results[0].value.',
    )
  })

  test('are refused if the answer says in its status that the service failed: the list would end there', () => {
    for (const status of [500, '503', 429, 206])
      expect(() => tps({ results: [], status }, testContext())).toThrow(
        expect.objectContaining({ code: 'transport.error-answer', retryable: true }),
      )
    for (const status of [200, null, undefined])
      expect(tps({ ...answer, status }, testContext()).rows.points).toHaveLength(1)
  })

  test('have a version hash of their value, not of when the service computed it', () => {
    const hash = (answer: object) => versionHash(metricsChainTps)(tps(answer, testContext()).rows.points[0]!)
    expect(hash({ ...answer, lastRun: 1724799999, status: 201 })).toBe(hash(answer))
    expect(hash({ ...answer, results: [{ timestamp: 1724716800, value: 1.99 }] })).not.toBe(hash(answer))
  })
})

describe('token holders', () => {
  const requested = {
    ...place,
    token_address: '0xcc',
    balance_threshold: '1000',
    window_start: 1_000_000n,
    window_end: null,
    subject: '43114/0xcc',
  }
  const decode = holdersList(requested)

  test('have exact balances from sort keys that are texts or numbers', () => {
    const context = testContext()
    const addresses = [
      { address: `0x${'AB'.repeat(20)}`, sortKey: '5000' },
      { address: evmAddress('b'), sortKey: 7 },
      { address: evmAddress('c'), sortKey: '9'.repeat(39) },
      { address: evmAddress('d'), sortKey: 2n ** 80n },
    ]
    const { rows, items, next } = decode({ addresses, nextPageToken: 'n' }, context)
    expect(rows.holders[0]).toEqual({
      network: 'mainnet',
      chain_id: '43114',
      token_address: '0xcc',
      balance_threshold: '1000',
      window_start: 1_000_000n,
      window_end: null,
      subject: '43114/0xcc',
      observation_id: 'observation-1',
      observed_at: 1_763_700_000_000_000n,
      address: `0x${'ab'.repeat(20)}`,
      balance: 5000n,
      balance_raw: '5000',
    })
    expect(Object.keys(rows.holders[0]!).sort()).toEqual(Object.keys(metricsTokenHolders.columns).sort())
    expect(rows.holders.slice(1).map(({ balance, balance_raw }) => [balance, balance_raw])).toEqual([
      [7n, '7'],
      [null, '9'.repeat(39)],
      [2n ** 80n, (2n ** 80n).toString()],
    ])
    expect(items.map(({ key }) => key)).toEqual([`0x${'ab'.repeat(20)}`, ...['b', 'c', 'd'].map(evmAddress)])
    expect(next).toBe('n')
    expect(context.unknown).toEqual([])
  })

  test('require an address and an exact sort key', () => {
    expect(() => decode({ addresses: [{ sortKey: 1 }] }, testContext())).toThrow(
      'The answer has no field addresses[0].address.',
    )
    expect(() => decode({ addresses: [{ address: evmAddress('a'), sortKey: 1e21 }] }, testContext())).toThrow(
      'addresses[0].sortKey',
    )
    expect(() => decode({ addresses: [{ address: evmAddress('a') }] }, testContext())).toThrow(
      'The answer has no field addresses[0].sortKey.',
    )
  })
})

describe('points of chain metrics', () => {
  const decode = chainMetricsList({ ...place, metric: 'feesPaid', interval: 'month' })

  test('have the value as a number and as text with all digits', () => {
    const values = [37738, 9007199254740993n, '12.5', 0.000001]
    const results = values.map((value, n) => ({ timestamp: 1724976000 - n, value }))
    const context = testContext()
    const { rows, items, next } = decode({ results, nextPageToken: 'n' }, context)
    expect(rows.points.map(({ metric_value, metric_value_raw }) => [metric_value, metric_value_raw])).toEqual([
      [37738, '37738'],
      [9007199254740992, '9007199254740993'],
      [12.5, '12.5'],
      [0.000001, '0.000001'],
    ])
    expect(Object.keys(rows.points[0]!).sort()).toEqual(Object.keys(metricsChainPoints.columns).sort())
    expect(items[0]).toEqual({ key: '1724976000', time: 1724976000 })
    expect([next, context.unknown]).toEqual(['n', []])
  })

  test('are as the service wrote them where it writes floating point, as JavaScript does from 10^21 on', () => {
    const written = ['1.5e+21', '1.2345678901234568e+21', '1234567890123456789012', '1e3']
    const points = written.map((value, n) => `{"timestamp":${1724976000 - n},"value":${value}}`)
    const { rows } = decode(parseExactJson(`{"results":[${points}]}`), testContext())
    expect(rows.points.map(({ metric_value, metric_value_raw }) => [metric_value, metric_value_raw])).toEqual([
      [1.5e21, '1.5e+21'],
      [Number('1.2345678901234567e21'), '1.2345678901234568e+21'],
      [Number('1234567890123456789012'), '1234567890123456789012'],
      [1000, '1000'],
    ])
    expect(() => decode(parseExactJson('{"results":[{"timestamp":1,"value":1e400}]}'), testContext())).toThrow(
      'results[0].value',
    )
  })

  test('are refused without a value, or with one below 0', () => {
    const decoded = (point: object) => () => decode({ results: [point] }, testContext())
    expect(decoded({ timestamp: 1 })).toThrow('The answer has no field results[0].value.')
    expect(decoded({ timestamp: 1, value: -1 })).toThrow('results[0].value')
  })
})
