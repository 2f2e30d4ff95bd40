import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { RunEvent } from '../../../src/run/events.ts'
import { createHeadFeed } from '../../../src/run/heads/watch-heads.ts'
import type { HeadListener } from '../../../src/sources/evm-heads.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

function feeding(origin: 'given' | 'derived') {
  const events: RunEvent[] = []
  const listeners: HeadListener[] = []
  let closed = 0
  const feed = createHeadFeed({
    url: 'wss://user:password@host.example/0123456789abcdef0123/ws?key=secret',
    origin,
    emit: (event) => events.push(event),
    listen: (_, listener) => {
      listeners.push(listener)
      return () => {
        closed++
      }
    },
  })
  return {
    feed,
    events,
    tries: () => listeners.length,
    closed: () => closed,
    last: () => listeners.at(-1)!,
    messages: () => events.map((event) => ('message' in event ? `${event.kind}: ${event.message}` : event.kind)),
  }
}

const shown = 'wss://host.example/…/ws?…'

test('says once that it listens and once that it polls, without secrets, and connects again after growing waits', () => {
  const { feed, tries, last, messages } = feeding('given')
  const heard: string[] = []
  feed.on((what) => heard.push(what))
  expect(feed.session()).toBe(null)
  last().onListening()
  last().onHead()
  expect(feed.session()).toBe(1)
  last().onEnd('the connection closed with code 1006')
  expect(feed.session()).toBe(null)
  expect(heard).toEqual(['change', 'head', 'change'])
  for (const [at, seconds] of [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].entries()) {
    vi.advanceTimersByTime(seconds * 1000 - 1)
    expect(tries()).toBe(at + 1)
    vi.advanceTimersByTime(1)
    expect(tries()).toBe(at + 2)
    if (at < 8) last().onEnd('the server refused it or did not answer')
    else break
  }
  last().onListening()
  expect(messages()).toEqual([
    `notice: Listening to new blocks by WebSocket: ${shown}.`,
    `notice: Cannot listen to new blocks by WebSocket (${shown}): the connection closed with code 1006. The run polls the chain every second until the WebSocket works.`,
    `notice: Listening to new blocks by WebSocket again: ${shown}.`,
  ])
})

test('a connection that lasted is followed by a short wait', () => {
  const { tries, last } = feeding('given')
  for (let times = 1; times < 6; times++) {
    last().onListening()
    vi.advanceTimersByTime(60_000)
    last().onEnd('x')
    vi.advanceTimersByTime(1_000)
    expect(tries()).toBe(times + 1)
  }
})

test('warns of a given URL that does not work, and is silent about a derived one, which it tries every ten minutes', () => {
  const given = feeding('given')
  given.last().onEnd('the server refused it or did not answer')
  expect(given.messages()).toEqual([expect.stringMatching(/^warning: Cannot listen .* polls the chain every second/)])
  const derived = feeding('derived')
  for (let times = 1; times < 4; times++) {
    derived.last().onEnd('the server refused it or did not answer')
    vi.advanceTimersByTime(10 * 60_000 - 1)
    expect(derived.tries()).toBe(times)
    vi.advanceTimersByTime(1)
    expect(derived.tries()).toBe(times + 1)
  }
  expect(derived.messages()).toEqual([])
})

test('a connection that is distrusted is closed once, and one that is closed does not connect again', () => {
  const { feed, tries, last, closed } = feeding('given')
  last().onListening()
  feed.distrust('it is silent')
  feed.distrust('it is silent')
  expect(closed()).toBe(1)
  vi.advanceTimersByTime(1_000)
  expect(tries()).toBe(2)
  last().onEnd('x')
  feed.close()
  vi.advanceTimersByTime(3_600_000)
  expect(tries()).toBe(2)
})
