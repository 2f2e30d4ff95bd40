import { expect, test } from 'vitest'
import { ConfigError } from '../../../src/errors.ts'
import { boundsOf } from '../../../src/run/ranges/plan-slices.ts'

const untimed = {}

test('bounds from the beginning stay as they are', async () => {
  expect(await boundsOf({ from: 3, to: null }, untimed, 99)).toEqual({ from: 3, to: null, times: [] })
  expect(await boundsOf({ from: 3, to: 5 }, untimed, null)).toEqual({ from: 3, to: 5, times: [] })
})

test.each([
  [
    { from: -10, to: null },
    { from: 90, to: null },
  ],
  [
    { from: -10, to: -3 },
    { from: 90, to: 97 },
  ],
  [
    { from: 5, to: -3 },
    { from: 5, to: 97 },
  ],
  [
    { from: -1_000, to: -500 },
    { from: 0, to: 0 },
  ],
  [
    { from: -1_000, to: 7 },
    { from: 0, to: 7 },
  ],
])('%j of 100 records is %j', async (bounds, expected) =>
  expect(await boundsOf(bounds, untimed, 99)).toEqual({ ...expected, times: [] }),
)

test('bounds from the end are counted once, from the first head', async () => {
  const walk = { from: -10, to: null }
  expect(await boundsOf(walk, untimed, null)).toMatchObject({ from: 0, to: null })
  expect(await boundsOf(walk, untimed, 99)).toMatchObject({ from: 90, to: null })
  expect(await boundsOf(walk, untimed, 5_000)).toMatchObject({ from: 90, to: null })
})

/** A chain with a block every ten seconds from 2026-01-01 on, which counts its requests. */
function clocked(first = 0) {
  const requested: number[] = []
  return {
    requested,
    begins: () => ({ at: first, notice: null }),
    times: async (from: number, to: number) => {
      requested.push(from)
      return Array.from({ length: to - from }, (_, at) => 1_767_225_600_000_000n + BigInt(from + at) * 10_000_000n)
    },
  }
}

test('a time is the first record at or after it, for both bounds', async () => {
  const at = async (from: string, to: string) => {
    const { times: _, ...bounds } = await boundsOf({ from, to }, clocked(), 9_999)
    return bounds
  }
  expect(await at('2026-01-01', '2026-01-02')).toEqual({ from: 0, to: 8_640 })
  expect(await at('2025-12-31', '2026-01-01 00:00:10')).toEqual({ from: 0, to: 1 })
  expect(await at('2026-01-01T00:00:10.001Z', '2026-01-01T02:00:00+01:00')).toEqual({ from: 2, to: 360 })
  expect(await at('0001-01-01', '9999-12-31')).toEqual({ from: 0, to: null })
  expect((await boundsOf({ from: '2026-01-01', to: -10 }, clocked(500), 9_999)).from).toBe(500)
})

test('a time that no record has reached ends at the head, and the next round searches again', async () => {
  const walk = { from: '2026-01-01T00:01:00Z', to: '2026-01-01T01:00:00Z' }
  const source = clocked()
  expect(await boundsOf(walk, source, null)).toMatchObject({ from: 0, to: null })
  expect(await boundsOf(walk, source, 2)).toMatchObject({ from: 3, to: null })
  expect(await boundsOf(walk, source, 99)).toMatchObject({ from: 6, to: null })
  source.requested.length = 0
  expect(await boundsOf(walk, source, 100)).toMatchObject({ from: 6, to: null })
  // The second answer is to confirm the first one.
  expect(source.requested).toEqual([100, 100])
  expect(await boundsOf(walk, source, 1_000)).toMatchObject({ from: 6, to: 360 })
  source.requested.length = 0
  expect(await boundsOf(walk, source, 2_000)).toMatchObject({ from: 6, to: 360, times: [{}, {}] })
  expect(source.requested).toEqual([])
})

test('streams that share requests share the search', async () => {
  const [one, other] = [clocked(), clocked()]
  const shared = { together: () => [] }
  const walk = () => ({ from: '2026-01-01T00:01:00Z', to: null })
  await boundsOf(walk(), { ...one, shared }, 99)
  await boundsOf(walk(), { ...other, shared }, 99)
  expect(other.requested).toEqual([])
})

test('a failed search is tried again', async () => {
  const source = clocked()
  let failures = 1
  const times = (from: number, to: number) =>
    failures-- > 0 ? Promise.reject(new Error('no answer')) : source.times(from, to)
  const flaky = { ...source, times }
  const walk = { from: '2026-01-01T00:01:00Z', to: null }
  await expect(boundsOf(walk, flaky, 99)).rejects.toThrow('no answer')
  expect(await boundsOf(walk, flaky, 99)).toMatchObject({ from: 6 })
})

test('a time is refused where records have none, and where it is no time', async () => {
  const walk = { from: '2026-01-01', to: null, what: 'the list of squares', record: 'square' }
  const refused = boundsOf(walk, untimed, 99)
  await expect(refused).rejects.toThrow(
    '2026-01-01 cannot be a bound: the list of squares does not say the time of a square.',
  )
  await expect(boundsOf(walk, untimed, null)).rejects.toThrow(ConfigError)
  await expect(boundsOf({ from: 'yesterday', to: null }, clocked(), 9)).rejects.toThrow('"yesterday" is no time.')
})
