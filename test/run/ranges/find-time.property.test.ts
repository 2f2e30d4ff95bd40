import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RecordTime } from '../../../src/define/index.ts'
import { findTime } from '../../../src/run/ranges/plan-slices.ts'

/** A source with these times, which counts its requests. */
function sourceOf(times: readonly RecordTime[]) {
  const requested: [number, number][] = []
  return {
    requested,
    times: async (from: number, to: number) => {
      requested.push([from, to])
      return times.slice(from, to)
    },
  }
}

const second = 1_000_000n

/** The same by looking at every record from the first one on. */
function scanned(times: readonly RecordTime[], begins: number, time: bigint): number | null {
  const known = times.map((own, at) => (at < begins ? 'missing' : own))
  const firstKnown = known.findIndex((own) => own !== 'unknown' && own !== 'missing')
  const leading = !known.slice(0, firstKnown).includes('missing') || begins > 0
  const at = known.findIndex((own) => typeof own === 'bigint' && own >= time)
  if (at === -1) return null
  const lead = known.slice(begins, at).every((own) => own === 'unknown')
  return lead && leading ? begins : at
}

/** Times that never decrease; some are equal, some unknown. The source begins late, or has lost its first records. */
const chains = fc
  .record({
    gaps: fc.array(fc.record({ seconds: fc.nat(3), unknown: fc.boolean() }), { minLength: 1, maxLength: 60 }),
    mostlyKnown: fc.boolean(),
    begins: fc.nat(8),
    lost: fc.nat(8),
  })
  .map(({ gaps, mostlyKnown, begins, lost }) => {
    let now = 100n
    const times = gaps.map(({ seconds, unknown }, at): RecordTime => {
      now += BigInt(seconds)
      if (begins === 0 && at < lost) return 'missing'
      return unknown && !mostlyKnown ? 'unknown' : now * second
    })
    return { times, begins: Math.min(begins, times.length - 1), last: now }
  })

const wait = { waitMs: 0 }

test('the search finds what a look at every record finds', () =>
  fc.assert(
    fc.asyncProperty(chains, fc.integer({ min: -2, max: 200 }), async ({ times, begins }, after) => {
      const { requested, ...source } = sourceOf(times)
      const time = BigInt(98 + after)
      const head = times.length - 1
      const found = await findTime({ ...source, begins, head, ns: time * 1_000_000_000n, ...wait })
      expect(found?.at ?? null).toBe(scanned(times, begins, time * second))
      expect(requested.every(([from, to]) => from >= begins && to <= times.length)).toBe(true)
    }),
    { numRuns: 500 },
  ))

test('the record found stays the same when the chain grows, also if its times decrease somewhere', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 80 }),
      fc.nat(200),
      fc.integer({ min: 0, max: 30 }),
      async (seconds, grown, wanted) => {
        const later = Array.from({ length: grown }, () => 31)
        const times = [...seconds, ...later].map((one) => BigInt(one) * second)
        const at = (head: number) =>
          findTime({ ...sourceOf(times), begins: 0, head, ns: BigInt(wanted) * 1_000_000_000n, ...wait })
        const found = await at(seconds.length - 1)
        if (found === null) return
        expect(times[found.at]! >= BigInt(wanted) * second).toBe(true)
        expect(found.at === 0 || times[found.at - 1]! < BigInt(wanted) * second).toBe(true)
        expect(await at(times.length - 1)).toEqual(found)
      },
    ),
    { numRuns: 500 },
  ))

test('a million records take about twenty requests', async () => {
  const requested: number[] = []
  const found = await findTime({
    times: async (from) => {
      requested.push(from)
      return [BigInt(from) * second]
    },
    begins: 0,
    head: 999_999,
    ns: 765_432_000_000_001n,
  })
  expect(found?.at).toBe(765_433)
  expect(requested.length).toBeLessThan(25)
})

test('a time between two nanoseconds of blocks is exact', async () => {
  const source = sourceOf([0n, 1_500_000n, 1_500_001n])
  const at = async (ns: bigint) => (await findTime({ ...source, begins: 0, head: 2, ns, ...wait }))?.at
  expect(await at(1_500_000_000n)).toBe(1)
  expect(await at(1_500_000_001n)).toBe(2)
  expect(await at(1_500_001_001n)).toBeUndefined()
})

test('what is known of the records before is said', async () => {
  const find = (times: readonly RecordTime[], ns = 2_000_000_000n) =>
    findTime({ ...sourceOf(times), begins: 0, head: times.length - 1, ns, ...wait })
  expect(await find([second, 'unknown', 'unknown', 3n * second])).toEqual({
    at: 3,
    known: { at: 3, time: 3n * second },
    before: { at: 0, time: second },
    isFirst: false,
  })
  expect(await find(['unknown', 'unknown', 3n * second])).toMatchObject({ at: 0, known: { at: 2 }, isFirst: true })
  expect(await find(['missing', 'missing', 3n * second])).toMatchObject({ at: 2, before: null, isFirst: true })
  expect(await find(['unknown', 'unknown'])).toBeNull()
})

test('a node that lags behind does not move the bound', async () => {
  const times = Array.from({ length: 100 }, (_, at) => BigInt(at) * second)
  let requests = 0
  const found = await findTime({
    // Every third answer comes from a node that lacks the newer blocks.
    times: async (from, to) =>
      times.slice(from, to).map((time) => (requests++ % 3 === 1 && from > 40 ? 'missing' : time)),
    begins: 0,
    head: 99,
    ns: 60_000_000_000n,
    ...wait,
  })
  expect(found?.at).toBe(60)
})

test('a wrong time in one answer does not move the bound; one in each answer ends the search', async () => {
  const times = Array.from({ length: 100 }, (_, at) => BigInt(at) * second)
  const found = async (seconds: bigint, lie: (time: bigint, request: number) => bigint) => {
    let requests = 0
    const source = async (from: number, to: number) => times.slice(from, to).map((time) => lie(time, requests++))
    return findTime({ times: source, begins: 0, head: 99, ns: seconds * 1_000_000_000n, ...wait })
  }
  for (const lie of [0n, 200n * second])
    for (let wrong = 0; wrong < 12; wrong++) {
      const inOne = (time: bigint, request: number) => (request === wrong ? lie : time)
      expect((await found(60n, inOne))?.at).toBe(60)
      expect((await found(99n, inOne))?.at).toBe(99)
      expect(await found(150n, inOne)).toBeNull()
    }
  // Answers that differ on one side of the time move nothing.
  expect((await found(60n, (time, request) => time + BigInt(request % 2)))?.at).toBe(60)
  const another = found(60n, (time, request) => (request % 2 === 0 ? time : 60n * second - time))
  await expect(another).rejects.toMatchObject({ code: 'decode.contradiction' })
})

test('an error of the source ends the search', () =>
  expect(
    findTime({ times: () => Promise.reject(new Error('no answer')), begins: 0, head: 9, ns: 0n, ...wait }),
  ).rejects.toThrow('no answer'))
