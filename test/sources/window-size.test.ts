import { describe, expect, test } from 'vitest'
import { adaptWindows, createWindowSize, type WindowSize } from '../../src/sources/window-size.ts'

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

describe('a size that was too large for a node', () => {
  const windows = () => adaptWindows({ first: 64, patience: 3 })
  /** The sizes of requests to a node that takes `most` units at once. */
  const requests = (size: WindowSize, most: number, count: number) =>
    Array.from({ length: count }, () => {
      const length = size.current()
      if (length > most) size.tooLarge(length)
      else size.answered(length, 0)
      return length
    })

  test('is tried again after some good answers, and then more and more seldom', () => {
    const sizes = requests(windows(), 16, 40)
    expect(sizes.slice(0, 6)).toEqual([64, 32, 16, 16, 16, 16])
    const tried = sizes.flatMap((each, at) => (each === 32 ? [at] : []))
    const pauses = tried.slice(1).map((at, before) => at - tried[before]!)
    expect(pauses).toEqual([5, 8, 14])
  })

  test('is used again when the node takes it', () => {
    const size = windows()
    requests(size, 16, 10)
    expect(requests(size, 1000, 20).at(-1)).toBe(64)
  })

  test('counts once when several requests of it were under way', () => {
    const size = windows()
    for (let window = 0; window < 8; window++) size.tooLarge(64)
    expect(size.current()).toBe(32)
  })
})
