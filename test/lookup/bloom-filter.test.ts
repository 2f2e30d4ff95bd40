import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bloomFilterBytes, createBloomFilter } from '../../src/lookup/bloom-filter.ts'
import { runs } from '../runs.ts'

const fingerprint = fc.maxSafeNat()

describe('a Bloom filter', () => {
  test('never denies a number that it contains, however full it is', () => {
    fc.assert(
      fc.property(fc.nat({ max: 300 }), fc.array(fingerprint, { maxLength: 600 }), (capacity, given) => {
        const filter = createBloomFilter(capacity)
        for (const each of given) filter.add(each)
        expect(given.every((each) => filter.mayHave(each))).toBe(true)
      }),
      { numRuns: runs(100) },
    )
  })

  test.each([
    ['one after another', (n: number) => n],
    ['in their upper halves', (n: number) => (n % 2 ** 21) * 2 ** 32],
    ['spread', (n: number) => (n * 6_364_136_223_846) % 2 ** 53],
  ])('seldom claims other numbers, for numbers %s', (_, numberOf) => {
    const filter = createBloomFilter(100_000)
    for (let n = 0; n < 100_000; n++) filter.add(numberOf(n))
    let claimed = 0
    for (let n = 100_000; n < 1_100_000; n++) if (filter.mayHave(numberOf(n))) claimed++
    expect(claimed).toBeLessThan(100)
  })

  test('takes three bytes per number', () => {
    expect(bloomFilterBytes(1_000_000)).toBe(3_000_000)
    expect(bloomFilterBytes(0)).toBe(4)
  })
})
