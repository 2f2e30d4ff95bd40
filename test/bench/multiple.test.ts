import { describe, expect, test } from 'vitest'
import { leastOf, type Measurement, multipleOf, slopeOf } from '../../bench/multiple.ts'

/** A run that starts in a second, of items that take 50 µs; its floor starts in 0.2 seconds, with 10 µs an item. */
function measured(items: number): Measurement {
  const cpuSeconds = 1 + items * 50e-6
  return { items, rows: items, seconds: cpuSeconds, cpuSeconds, peakMiB: 100, floorSeconds: 0.2 + items * 10e-6 }
}

describe('multiples of the floor', () => {
  test('of a run have its start in them', () => {
    expect(multipleOf(measured(40_000))).toBeCloseTo(3 / 0.6)
  })
  test('of the slope have not', () => {
    const { micros, floorMicros, multiple } = slopeOf(measured(40_000), measured(120_000))
    expect([micros, floorMicros, multiple].map((value) => Number(value.toFixed(6)))).toEqual([50, 10, 5])
  })
  test('are of the cheapest round, whichever that was for each cost, and of the most memory', () => {
    const busy = { ...measured(10), seconds: 9, cpuSeconds: 8, peakMiB: 90 }
    const busyFloor = { ...measured(10), floorSeconds: 7 }
    expect(leastOf([busy, busyFloor])).toEqual(measured(10))
    expect(() => leastOf([measured(10), measured(11)])).toThrow(RangeError)
  })
  test('a slope needs two sizes', () => {
    expect(() => slopeOf(measured(10), measured(10))).toThrow(RangeError)
  })
})
