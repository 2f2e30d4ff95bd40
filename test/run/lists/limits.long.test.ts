import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { createServiceClient } from '../../../src/sources/service-client.ts'
import { hostsOf } from '../../../src/sources/service-profile.ts'
import { profileOf } from './devnet-jobs.ts'

const minute = 60_000
/** Milliseconds that the clock advances per turn of the event loop. An answer takes several turns, so it takes some tenths of a second. */
const turnMs = 20

/**
 * Advances the clock with the turns of the event loop, in which client and network do their work, and independently of the real time. A
 * busy machine takes longer but gets the same result.
 */
async function elapse(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += turnMs) {
    vi.advanceTimersByTime(turnMs)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

type Counted = { readonly granted: number; readonly refused: number }

async function during(node: Devnet, ms: number): Promise<Counted> {
  const counted = () => node.requests().statuses
  const before = counted()
  await elapse(ms)
  const since = (status: string) => (counted()[status] ?? 0) - (before[status] ?? 0)
  return { granted: since('200'), refused: since('429') }
}

/** At least nine tenths of the limit are used, and fewer than a hundredth of the requests are refused. */
function expectWellUsed({ granted, refused }: Counted, limit: number): void {
  expect(granted / limit).toBeGreaterThan(0.9)
  expect(refused / (granted + refused)).toBeLessThan(0.01)
}

describe('an unknown rate limit', () => {
  beforeEach(() => {
    vi.useFakeTimers({
      now: Date.parse('2025-11-21T10:00:00.300Z'),
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
    })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  // With a key, the network returns the limit and the remaining units with each answer. Without a key, it returns nothing until it refuses.
  test.each([
    { key: null, retryAfter: 'seconds' },
    { key: null, retryAfter: 'date' },
    { key: 'known', retryAfter: 'seconds' },
    { key: 'known', retryAfter: 'date' },
  ] as const)(
    'is used to nine tenths or more, also after it is halved: key $key, Retry-After in $retryAfter',
    async (way) => {
      const perMinute = 300
      const service = { unitsPerMinute: perMinute, keys: { known: perMinute }, retryAfter: way.retryAfter }
      const node = await startDevnet({ blocks: 5, service })
      const client = createServiceClient({ hosts: hostsOf({ ...profileOf(node), key: way.key }), concurrency: 4 })
      const stop = new AbortController()
      const ask = async () => {
        const request = { host: 'data', method: 'GET', path: '/v1/chains', query: {}, weight: 'free' } as const
        while (!stop.signal.aborted) await client.ask(request, { signal: stop.signal, parse: () => null })
      }
      const senders = Promise.allSettled(Array.from({ length: 4 }, ask))
      try {
        await elapse(3 * minute)
        expectWellUsed(await during(node, 6 * minute), 6 * perMinute)
        const halved = fetch(`${node.url}/devnet/limits?units=${perMinute / 2}`, { method: 'POST' })
        await elapse(3 * minute)
        expect((await halved).status).toBe(200)
        expectWellUsed(await during(node, 6 * minute), (6 * perMinute) / 2)
      } finally {
        stop.abort()
        await senders
        await client.close()
        await node.close()
      }
    },
    120_000,
  )
})
