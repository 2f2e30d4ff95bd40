import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Bucket, newBucket, settle, take } from '../../src/fetch/limits.ts'
import { runs } from '../runs.ts'
import { enforcements, limitedService, type Telling } from './limited-service.ts'
import { seeded } from './seeded.ts'
import { type Simulation, simulate } from './simulate-limit.ts'

const minute = 60_000
const tellings: readonly [string, Telling][] = [
  ['says nothing', {}],
  ['sends Retry-After', { retryAfter: true }],
  ['tells limit and rest', { headers: true, retryAfter: true }],
  ['tells limit, rest and reset', { headers: true, reset: true, retryAfter: true }],
]
/** `npm test` simulates the services with the fewest and the most rate-limit headers; the long tests simulate all. */
const simulated = runs(1) > 1 ? tellings : tellings.filter((_, at) => at % 3 === 0)

function saturated(seed: number, changes: Pick<Simulation, 'service' | 'untilMs'> & Partial<Simulation>) {
  const random = seeded(seed)
  return simulate({
    unitsPerWindow: null,
    windowMs: minute,
    concurrency: 4,
    units: () => 100,
    latencyMs: () => 30 + 170 * random(),
    ...changes,
  })
}

describe.each(simulated)('a service that %s', (_, told) => {
  describe.each(enforcements)('and enforces a hidden limit by a %s', (kind) => {
    test.each([
      ['not known to us', null],
      ['known to us', 1],
      ['thought to be a tenth larger', 1.1],
      ['thought to be four times as large', 4],
    ])('is used to nine tenths, with fewer than 1% of requests refused, when the limit is %s', (_, factor) => {
      const limit = 60_000
      const { accepted, refused, unitsBetween } = saturated(8, {
        service: limitedService(kind, limit, minute, told),
        unitsPerWindow: factor === null ? null : factor * limit,
        concurrency: 8,
        untilMs: 20 * minute,
      })
      expect(unitsBetween(0, 20 * minute) / (20 * limit)).toBeGreaterThan(0.85)
      expect(unitsBetween(10 * minute, 20 * minute) / (10 * limit)).toBeGreaterThan(0.9)
      expect(refused / (accepted + refused)).toBeLessThan(0.01)
    })

    test('is used to 85% from ten minutes after its limit halves', () => {
      const service = limitedService(kind, 60_000, minute, told)
      const { accepted, refused, unitsBetween } = saturated(5, {
        service,
        untilMs: 30 * minute,
        before: (now) => service.setLimit(now < 10 * minute ? 60_000 : 30_000),
      })
      expect(unitsBetween(20 * minute, 30 * minute) / 300_000).toBeGreaterThan(0.85)
      expect(refused / (accepted + refused)).toBeLessThan(0.01)
    })
  })
})

test('the rate limit learns a limit of 60 requests per minute with few refusals', () => {
  for (const kind of enforcements)
    for (const concurrency of [1, 4]) {
      const { accepted, refused, unitsBetween } = saturated(concurrency, {
        service: limitedService(kind, 6000, minute, { retryAfter: true }),
        concurrency,
        untilMs: 60 * minute,
      })
      expect(unitsBetween(0, 60 * minute) / 360_000).toBeGreaterThan(0.9)
      expect(refused / (accepted + refused)).toBeLessThan(0.01)
    }
})

test('the rate limit uses the new limit after the service raises its limit', () => {
  const service = limitedService('fixed window', 30_000, minute, { retryAfter: true })
  const { unitsBetween } = saturated(3, {
    service,
    untilMs: 60 * minute,
    before: (now) => service.setLimit(now < 10 * minute ? 30_000 : 60_000),
  })
  expect(unitsBetween(50 * minute, 60 * minute) / 600_000).toBeGreaterThan(0.9)
})

test.each([1, 4, 16])('random refusals do not slow %i concurrent senders down for long', (concurrency) => {
  const random = seeded(concurrency)
  const { accepted } = saturated(1, {
    service: limitedService('fixed window', 1e12, minute),
    concurrency,
    latencyMs: () => 3 + 4 * random(),
    untilMs: 5 * minute,
    refuse: () => random() < 1 / 30,
  })
  // Each refusal costs a quarter of a second, enough for 29 other answers.
  expect(accepted / 300).toBeGreaterThan(10)
})

const options = { unitsPerWindow: 6000, windowMs: minute, refusals: [429] }

test('each step returns a new state and does not modify the previous one', () => {
  const frozen = (state: Bucket): Bucket => {
    for (const part of [state, state.log, state.step, state.spread, state.closure]) Object.freeze(part)
    for (const entry of state.log) Object.freeze(entry)
    return state
  }
  let bucket = frozen(newBucket(options, 0))
  for (let now = 0; now < 5 * minute; now += 200) {
    const taken = take(options, bucket, { least: 20, most: 20 }, now)
    bucket = frozen(taken.bucket)
    if (taken.grant === null) continue
    const status = now % 7_000 === 0 ? 429 : 200
    const headers = { 'ratelimit-limit': '6000', 'ratelimit-remaining': '3000', 'ratelimit-reset': '5' }
    bucket = frozen(settle(options, bucket, taken.grant, { status, headers }, { now: now + 50, date: now + 50 }))
  }
  expect(bucket.epoch).toBeGreaterThan(3)
})

test('the rate limit spreads the remaining units until the reset', () => {
  const { bucket: state, grant } = take(options, newBucket(options, 0), { least: 100, most: 100 }, 0)
  if (grant === null) throw new Error('no leave')
  const headers = { 'ratelimit-limit': '6000', 'ratelimit-remaining': '200', 'ratelimit-reset': '40' }
  let bucket = settle(options, state, grant, { status: 200, headers }, { now: 10, date: 0 })
  let sent = 0
  for (let now = 10; now < 40_000; now += 10) {
    const taken = take(options, bucket, { least: 100, most: 100 }, now)
    bucket = taken.bucket
    if (taken.grant !== null) sent += 1
  }
  expect(sent).toBeLessThanOrEqual(2)
})

test('the rate limit adapts to a service that counts requests instead of units', () => {
  const { refused, unitsBetween } = saturated(2, {
    service: (() => {
      const requests = limitedService('fixed window', 600, minute, { headers: true, retryAfter: true })
      return { ...requests, answer: (_: number, now: number) => requests.answer(1, now) }
    })(),
    untilMs: 10 * minute,
  })
  expect(unitsBetween(0, 10 * minute) / (10 * 60_000)).toBeGreaterThan(0.9)
  expect(refused).toBe(0)
})

test('no minute gets more than the known limit, whatever is requested and when', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ units: fc.integer({ min: 1, max: 300 }), rest: fc.integer({ min: 0, max: 20_000 }) }), {
        maxLength: 400,
      }),
      (requested) => {
        let bucket = newBucket(options, 0)
        const sent: { at: number; units: number }[] = []
        let now = 0
        for (const { units, rest } of requested) {
          now += rest % 7 === 0 ? rest : 0
          for (;;) {
            const taken = take(options, bucket, { least: units, most: units }, now)
            bucket = taken.bucket
            if (taken.grant !== null) break
            expect(taken.wait.ms).toBeGreaterThan(0)
            now += Math.max(1, Math.ceil(taken.wait.ms))
          }
          sent.push({ at: now, units })
        }
        for (const { at: from } of sent) {
          const within = sent.filter(({ at }) => at >= from && at < from + minute)
          // The last one may have been sent on credit.
          expect(within.slice(0, -1).reduce((sum, { units }) => sum + units, 0)).toBeLessThanOrEqual(6000)
        }
      },
    ),
    { numRuns: runs(20) },
  )
})
