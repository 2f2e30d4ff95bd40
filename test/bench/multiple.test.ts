import { describe, expect, test } from 'vitest'
import { leastOf, type Measurement, multipleOf, slopeOf } from '../../bench/multiple.ts'

/** A run that takes 1 second to start and 50 µs per item. Its floor takes 0.2 seconds to start and 10 µs per item. */
function measured(items: number): Measurement {
  const cpuSeconds = 1 + items * 50e-6
  return { items, rows: items, seconds: cpuSeconds, cpuSeconds, peakMiB: 100, floorSeconds: 0.2 + items * 10e-6 }
}

describe('multiples of the floor', () => {
  test('of a run include its start', () => {
    expect(multipleOf(measured(40_000))).toBeCloseTo(3 / 0.6)
  })
  test('of the slope do not include the start', () => {
    const { micros, floorMicros, multiple } = slopeOf(measured(40_000), measured(120_000))
    expect([micros, floorMicros, multiple].map((value) => Number(value.toFixed(6)))).toEqual([50, 10, 5])
  })
  test('use the cheapest round for each cost, and the round with the most memory', () => {
    const busy = { ...measured(10), seconds: 9, cpuSeconds: 8, peakMiB: 90 }
    const busyFloor = { ...measured(10), floorSeconds: 7 }
    expect(leastOf([busy, busyFloor])).toEqual(measured(10))
    expect(() => leastOf([measured(10), measured(11)])).toThrow(RangeError)
  })
  test('of the slope require two sizes', () => {
    expect(() => slopeOf(measured(10), measured(10))).toThrow(RangeError)
  })
})
