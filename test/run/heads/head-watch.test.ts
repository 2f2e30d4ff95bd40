import { describe, expect, test } from 'vitest'
import { createHeadWatch, silentMs } from '../../../src/run/heads/watch-heads.ts'

const pollMs = 1_000

function watching() {
  let heard = (_: 'head' | 'change'): void => undefined
  let session: number | null = 1
  let wakes = 0
  const distrusted: string[] = []
  const feed: Parameters<typeof createHeadWatch>[0]['feed'] = {
    session: () => session,
    on: (listener) => {
      heard = listener
    },
    distrust: (reason) => {
      distrusted.push(reason)
      session = null
      heard('change')
    },
    close: () => undefined,
  }
  const watch = createHeadWatch({ feed, pollMs, wake: () => wakes++ })
  /** A round that finds this head. */
  const round = (head: number): number => {
    watch.roundBegins()
    watch.roundEnds(head)
    return watch.intervalMs()
  }
  return {
    watch,
    round,
    distrusted,
    head: () => heard('head'),
    listens: (number: number | null) => {
      session = number
      heard('change')
    },
    wakes: () => wakes,
  }
}

describe('the next round of a job', () => {
  test('is due when a block is announced, and otherwise seldom', () => {
    const { watch, round, head, wakes } = watching()
    expect(round(10)).toBe(silentMs)
    head()
    expect(wakes()).toBe(1)
    expect(watch.intervalMs()).toBe(0)
    expect(round(11)).toBe(silentMs)
  })

  test('is due at once for a block that was announced during the last round', () => {
    const { watch, head } = watching()
    watch.roundBegins()
    head()
    watch.roundEnds(10)
    expect(watch.intervalMs()).toBe(0)
  })

  test('takes place as without a WebSocket while nothing listens', () => {
    const { watch, round, listens, wakes } = watching()
    round(10)
    listens(null)
    expect(wakes()).toBe(1)
    expect(watch.intervalMs()).toBe(pollMs)
    listens(2)
    expect(watch.intervalMs()).toBe(silentMs)
  })

  test('does not follow announcements as long as they are wrong, and the feed is ended in the end', () => {
    const { watch, round, head, wakes, distrusted } = watching()
    round(10)
    round(10)
    head()
    expect(round(10)).toBe(pollMs)
    const before = wakes()
    for (let more = 0; more < 1000; more++) head()
    expect(wakes()).toBe(before)
    expect(watch.intervalMs()).toBe(pollMs)
    for (let rounds = 2; rounds < 30; rounds++) {
      expect(round(10)).toBe(pollMs)
      expect(distrusted).toEqual([])
      head()
    }
    round(10)
    expect(distrusted).toEqual(['it announces blocks, but the chain does not grow'])
    expect(watch.intervalMs()).toBe(pollMs)
  })

  test('follows announcements again after a round that found a block: finality may be late', () => {
    const { round, head, distrusted } = watching()
    round(10)
    for (let block = 11; block < 100; block++) {
      head()
      expect(round(block - 1)).toBe(pollMs)
      expect(round(block)).toBe(silentMs)
    }
    expect(distrusted).toEqual([])
  })

  test('ends a feed that is silent although rounds find blocks; one late announcement is none', () => {
    const { round, head, distrusted } = watching()
    round(10)
    round(10)
    round(11)
    head()
    round(11)
    round(12)
    expect(distrusted).toEqual([])
    round(13)
    expect(distrusted).toEqual(['it is silent although the chain grows'])
  })

  test('a quiet chain is no reason to end a feed', () => {
    const { round, distrusted } = watching()
    for (let rounds = 0; rounds < 100; rounds++) expect(round(10)).toBe(silentMs)
    expect(distrusted).toEqual([])
  })

  test('blocks between two connections do not count as unannounced', () => {
    const { round, listens, distrusted } = watching()
    for (let block = 0; block < 20; block++) {
      round(block)
      listens(block + 2)
    }
    expect(distrusted).toEqual([])
  })
})
