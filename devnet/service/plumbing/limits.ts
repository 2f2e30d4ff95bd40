import type { IncomingHttpHeaders } from 'node:http'
import { jsonAnswer, type Route } from '../../http/router.ts'
import { type Host, ServiceError } from './error.ts'

/** The compute units of callers, and the known keys. */
export type LimitOptions = {
  /** Compute units per minute for callers without a key, on each host; default unlimited. */
  readonly unitsPerMinute?: number
  /** Compute units per day for each caller, on each host; default unlimited. A day begins with the first request of a caller. */
  readonly unitsPerDay?: number
  /** Compute units per minute, by key. */
  readonly keys?: Readonly<Record<string, number>>
  /** Revoked keys: known, but no longer allowed. */
  readonly revokedKeys?: readonly string[]
  /** Length of the window in which units are counted, in milliseconds; default 60,000. */
  readonly windowMs?: number
  /** Format of `retry-after`; default `seconds`. */
  readonly retryAfter?: 'seconds' | 'date'
}

export type Limits = {
  /**
   * Takes the units of a request from the window of its caller, and returns the rate limit headers. Throws `ServiceError`: 401 for an
   * unknown key, 403 for a revoked one, 429 with `retry-after` if the window is used up.
   */
  spend(host: Host, headers: IncomingHttpHeaders, units: number): Readonly<Record<string, string>>
  /** Sets the units per minute of all callers, with or without a key. Units that the current window has counted stay counted. */
  setUnitsPerMinute(units: number): void
}

const dayMs = 24 * 3_600_000

type Window = { readonly begun: number; spent: number }

/** Counts units in fixed windows, by host and key. */
export function createLimits(options: LimitOptions, now: () => number = Date.now): Limits {
  const { unitsPerMinute = Number.POSITIVE_INFINITY, unitsPerDay = Number.POSITIVE_INFINITY } = options
  const { keys = {}, revokedKeys = [] } = options
  const { windowMs = 60_000, retryAfter = 'seconds' } = options
  let changed: number | null = null
  const windows = new Map<string, Window>()
  const windowOf = (caller: string, lengthMs: number): Window => {
    const current = windows.get(caller)
    if (current !== undefined && now() - current.begun < lengthMs) return current
    const fresh = { begun: now(), spent: 0 }
    windows.set(caller, fresh)
    return fresh
  }
  const checkKey = (key: string): void => {
    if (revokedKeys.includes(key)) throw ServiceError.of(403, 'This API key is not allowed to do that')
    if (!Object.hasOwn(keys, key)) throw ServiceError.of(401, 'The API key is unknown')
  }
  /** The key of a request; null without a key. Throws for a key that is unknown or revoked. */
  const checkedKey = (host: Host, headers: IncomingHttpHeaders): string | null => {
    // The metrics host ignores keys.
    const given = host === 'data' ? keysIn(headers) : []
    for (const key of given) checkKey(key)
    return given[0] ?? null
  }
  const perMinuteOf = (key: string | null): number => changed ?? (key === null ? unitsPerMinute : keys[key]!)
  const tooMany = (opens: number, limitHeaders: Readonly<Record<string, string>>): ServiceError => {
    const reset = String(Math.max(1, Math.ceil((opens - now()) / 1000)))
    const patience = retryAfter === 'seconds' ? reset : new Date(Math.ceil(opens / 1000) * 1000).toUTCString()
    return ServiceError.of(429, 'Rate limit exceeded', {
      ...limitHeaders,
      'ratelimit-reset': reset,
      'retry-after': patience,
    })
  }
  return {
    spend: (host, headers, units) => {
      const key = checkedKey(host, headers)
      const perMinute = perMinuteOf(key)
      const today = windowOf(`day of ${host} ${key ?? ''}`, dayMs)
      if (today.spent + units > unitsPerDay) throw tooMany(today.begun + dayMs, {})
      if (perMinute === Number.POSITIVE_INFINITY) {
        today.spent += units
        return {}
      }
      const limit = Math.floor((perMinute * windowMs) / 60_000)
      const window = windowOf(`${host} ${key ?? ''}`, windowMs)
      const fits = window.spent + units <= limit
      if (fits) {
        window.spent += units
        today.spent += units
      }
      const limitHeaders = key === null ? {} : limitHeadersOf(limit, window.spent, windowMs)
      if (fits) return limitHeaders
      throw tooMany(window.begun + windowMs, limitHeaders)
    },
    setUnitsPerMinute: (units) => {
      changed = units
    },
  }
}

/** Headers with an API key: that of the specification (000, part 5), and that of the public service. */
const keyHeaders = ['x-service-api-key', 'x-glacier-api-key'] as const

/** All keys of a request, from any of the headers that may contain one. */
function keysIn(headers: IncomingHttpHeaders): string[] {
  return keyHeaders.flatMap((name) => {
    const given = headers[name]
    return typeof given === 'string' && given !== '' ? [given] : []
  })
}

/** The rate limit headers. The policy states its window in whole seconds, so it is omitted for other windows. */
function limitHeadersOf(limit: number, spent: number, windowMs: number): Readonly<Record<string, string>> {
  return {
    ...(windowMs % 1000 === 0 ? { 'ratelimit-policy': `${limit};w=${windowMs / 1000}` } : {}),
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(Math.max(0, limit - spent)),
  }
}

/** Cost class of a route. */
export type Cost = 'free' | 'small' | 'medium' | 'large' | 'xl' | 'xxl'

/** Compute units of a request by host and cost class (real-service.md, Rate limits). */
const units: Readonly<Record<Host, Readonly<Record<Cost, number>>>> = {
  data: { free: 1, small: 10, medium: 20, large: 50, xl: 100, xxl: 200 },
  metrics: { free: 1, small: 20, medium: 100, large: 500, xl: 1000, xxl: 3000 },
}

export function unitsOf(host: Host, cost: Cost): number {
  return units[host][cost]
}

/** `POST /devnet/limits?units=…` changes the compute units per minute while the network runs. */
export function limitControl(limits: Limits): Route {
  return {
    path: '/devnet/limits',
    handle: ({ method, query }) => {
      const units = Number(query.get('units') ?? '')
      if (method !== 'POST' || !Number.isSafeInteger(units) || units <= 0) return null
      limits.setUnitsPerMinute(units)
      return jsonAnswer(200, [JSON.stringify({ unitsPerMinute: units })])
    },
  }
}
