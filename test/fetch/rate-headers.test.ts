import { expect, test } from 'vitest'
import { readRateHeaders } from '../../src/fetch/limits.ts'

const nothing = { limit: null, windowMs: null, remaining: null, resetMs: null }
const now = 1_700_000_000_000

test.each([
  [{}, {}],
  [
    { 'ratelimit-limit': '8000', 'ratelimit-remaining': '7900' },
    { limit: 8000, remaining: 7900 },
  ],
  [
    { 'ratelimit-limit': '8000', 'ratelimit-policy': '8000;w=60' },
    { limit: 8000, windowMs: 60_000 },
  ],
  [{ 'ratelimit-policy': '"minute";q=8000;w=60, "day";q=2000000;w=86400' }, { limit: 8000, windowMs: 60_000 }],
  [{ 'ratelimit-limit': '100, 100;w=10, 5000;w=3600' }, { limit: 100, windowMs: 10_000 }],
  [
    { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '0' },
    { limit: 60, remaining: 0 },
  ],
  [{ 'ratelimit-reset': '12' }, { resetMs: 12_000 }],
  [{ 'ratelimit-reset': '1700000005' }, { resetMs: 5000 }],
  [{ 'ratelimit-reset': '900000000' }, { resetMs: 86_400_000 }],
  [{ 'ratelimit-reset': String(now + 10 * 86_400_000) }, { resetMs: 86_400_000 }],
  [{ 'ratelimit-reset': '9'.repeat(400) }, { resetMs: 86_400_000 }],
  [{ 'ratelimit-limit': '2000000', 'ratelimit-policy': '2000000;w=86400' }, {}],
  [{ 'ratelimit-limit': '0', 'ratelimit-remaining': 'many', 'ratelimit-reset': '-1' }, {}],
])('the headers %j are read as the right rate limit', (headers, expected) => {
  expect(readRateHeaders(headers as Record<string, string>, now)).toEqual({ ...nothing, ...expected })
})
