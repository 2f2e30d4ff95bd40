import { expect, test } from 'vitest'
import { createBufferPool } from '../../src/lib/memory.ts'

const mib = 1024 * 1024

test('the pool reuses returned buffers, the smallest that fits first', () => {
  const pool = createBufferPool({ count: 4, bytes: 4 * mib })
  const [small, large] = [pool.take(1), pool.take(3 * mib)]
  expect(small.byteLength).toBeLessThan(mib)
  expect(large.byteLength).toBeGreaterThanOrEqual(3 * mib)
  pool.give(large)
  pool.give(small)
  expect(pool.take(small.byteLength)).toBe(small)
  expect(pool.take(small.byteLength)).toBe(large)
  expect(pool.take(1)).not.toBe(small)
})

test('the pool keeps a limited number of buffers of limited size and drops the others', () => {
  const pool = createBufferPool({ count: 2, bytes: mib })
  const large = pool.take(mib + 1)
  const [first, second, third] = [pool.take(mib), pool.take(mib), pool.take(mib)]
  for (const buffer of [large, first, second, third]) pool.give(buffer)
  const again = [pool.take(1), pool.take(1), pool.take(1)]
  expect(again).toEqual([second, third, expect.anything()])
  expect(again[2]).not.toBe(first)
  expect(again).not.toContain(large)
})
