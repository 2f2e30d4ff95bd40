import { describe, expect, test } from 'vitest'
import type { RangeSource } from '../../../src/define/index.ts'
import { joinWindows } from '../../../src/sources/stored-logs.ts'

type Log = { readonly at: number; readonly part: string }

/** A source with a record for `a` and one for `b` at each coordinate. */
function source() {
  const requested: string[] = []
  const signals: AbortSignal[] = []
  const answers: (() => void)[] = []
  const logs: RangeSource<Log> = {
    head: async () => 100,
    windowSize: () => 10,
    at: ({ at }) => at,
    async window(from, to, signal) {
      requested.push(`${from}-${to}`)
      signals.push(signal!)
      await new Promise<void>((resolve) => answers.push(resolve))
      return Array.from({ length: to - from }, (_, at) => ['a', 'b'].map((part) => ({ at: from + at, part }))).flat()
    },
  }
  const byPart = (records: readonly Log[]) =>
    new Map(['a', 'b'].map((part) => [part, records.filter((each) => each.part === part)]))
  return { joined: joinWindows(logs, ['a', 'b', 'c'], byPart), requested, signals, answers }
}

describe('sources that share windows', () => {
  test('request each window once, and each gets its own records', async () => {
    const { joined, requested, answers } = source()
    const [a, b, c] = joined.map((each) => each.window(0, 2))
    answers[0]!()
    expect(await a).toEqual([0, 1].map((at) => ({ at, part: 'a' })))
    expect(await b).toEqual([0, 1].map((at) => ({ at, part: 'b' })))
    expect(await c).toEqual([])
    expect(requested).toEqual(['0-2'])
  })

  test('request a window again after each has requested it', async () => {
    const { joined, requested, answers } = source()
    for (const each of joined) void each.window(0, 2)
    const again = joined[0]!.window(0, 2)
    for (const answer of answers) answer()
    expect(await again).toHaveLength(2)
    expect(requested).toEqual(['0-2', '0-2'])
  })

  test('forget a window that one has requested twice when all others have read beyond it', async () => {
    const { joined, requested } = source()
    for (const each of [...joined, joined[0]!]) void each.window(0, 2)
    for (const each of joined) void each.window(2, 4, undefined, Promise.resolve())
    await Promise.resolve()
    void joined[1]!.window(0, 2)
    expect(requested).toEqual(['0-2', '0-2', '2-4', '0-2'])
  })

  test('cancel a request when none waits for it any more, and request it again for the next one', async () => {
    const { joined, requested, signals, answers } = source()
    const [first, second] = [new AbortController(), new AbortController()]
    void joined[0]!.window(0, 2, first.signal)
    void joined[1]!.window(0, 2, second.signal)
    first.abort()
    expect(signals[0]!.aborted).toBe(false)
    second.abort()
    expect(signals[0]!.aborted).toBe(true)
    const third = joined[2]!.window(0, 2)
    answers[1]!()
    expect(await third).toEqual([])
    expect(requested).toEqual(['0-2', '0-2'])
  })
})
