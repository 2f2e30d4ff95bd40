import { expect, test } from 'vitest'
import { createWindowSize } from '../../src/sources/window-size.ts'

/** The window size after answers with containers of `bytes` bytes. */
function settled(underWay: number, bytes: number): number {
  const size = createWindowSize(underWay)
  for (let answer = 0; answer < 20; answer++) size.answered(size.current(), size.current() * bytes)
  return size.current()
}

test.each([1, 5, 9, 33, 1000, 100_000])(
  '%i concurrent windows together use no more memory than eight full windows',
  (underWay) => {
    expect(createWindowSize(underWay).current() * underWay).toBeLessThanOrEqual(Math.max(8 * 1024, underWay))
    const bytes = 4000
    const most = Math.max(8 * 1024 * 1024, underWay * bytes)
    expect(settled(underWay, bytes) * bytes * underWay).toBeLessThanOrEqual(most)
  },
)

test('a few windows are as large as the node allows', () => {
  expect(createWindowSize(5).current()).toBe(1024)
  expect(settled(5, 100)).toBe(1024)
})
