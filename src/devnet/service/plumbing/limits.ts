import type { IncomingHttpHeaders } from 'node:http'
import { keyHeaders } from '../../../lib/key-headers.ts'
import type { Host } from './error.ts'
import { ServiceError } from './error.ts'

/** How many compute units callers have, and who they are. */
export type LimitOptions = {
  /** Compute units a minute of callers without a key, on each host; default unlimited. */
  readonly unitsPerMinute?: number
  /** Compute units a day of each caller, on each host; default unlimited. A day begins with a caller's first request. */
  readonly unitsPerDay?: number
  /** Compute units a minute by key. */
  readonly keys?: Readonly<Record<string, number>>
  /** Keys that are known and not allowed any more. */
  readonly revokedKeys?: readonly string[]
  /** Length of the window in which units are counted, in milliseconds; default 60,000. */
  readonly windowMs?: number
  /** Form of `retry-after`; default `seconds`. */
  readonly retryAfter?: 'seconds' | 'date'
}

export type Limits = {
  /**
   * Takes the units of a request from its caller's window and gives the headers that tell so. Throws `ServiceError`: 401 for
   * an unknown key, 403 for a revoked one, 429 with `retry-after` when the window is spent.
   */
  spend(host: Host, headers: IncomingHttpHeaders, units: number): Readonly<Record<string, string>>
  /** Sets the units a minute of all callers, with a key or without; what the window has seen stays. */
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
  const tooMany = (opens: number, told: Readonly<Record<string, string>>): ServiceError => {
    const reset = String(Math.max(1, Math.ceil((opens - now()) / 1000)))
    const patience = retryAfter === 'seconds' ? reset : new Date(Math.ceil(opens / 1000) * 1000).toUTCString()
    return ServiceError.of(429, 'Rate limit exceeded', { ...told, 'ratelimit-reset': reset, 'retry-after': patience })
  }
  return {
    spend: (host, headers, units) => {
      // The metrics host knows no keys.
      const given = host === 'data' ? keysIn(headers) : []
      for (const key of given) checkKey(key)
      const key = given[0] ?? null
      const perMinute = changed ?? (key === null ? unitsPerMinute : keys[key]!)
      const today = windowOf(`day of ${host} ${key ?? ''}`, dayMs)
      if (today.spent + units > unitsPerDay) throw tooMany(today.begun + dayMs, {})
      if (perMinute === Number.POSITIVE_INFINITY) {
        today.spent += units
        return {}
      }
      const limit = Math.floor((perMinute * windowMs) / 60_000)
      const window = windowOf(`${host} ${key ?? ''}`, windowMs)
      const fits = window.spent + units <= limit
      if (fits) window.spent += units
      if (fits) today.spent += units
      const told = key === null ? {} : tellHeaders(limit, window.spent, windowMs)
      if (fits) return told
      throw tooMany(window.begun + windowMs, told)
    },
    setUnitsPerMinute: (units) => {
      changed = units
    },
  }
}

/** Every key of a request, whatever the header is called that carries it. */
function keysIn(headers: IncomingHttpHeaders): string[] {
  return Object.values(keyHeaders).flatMap((name) => {
    const given = headers[name]
    return typeof given === 'string' && given !== '' ? [given] : []
  })
}

/** The policy names its window in whole seconds; of other windows it cannot be said. */
function tellHeaders(limit: number, spent: number, windowMs: number): Readonly<Record<string, string>> {
  return {
    ...(windowMs % 1000 === 0 ? { 'ratelimit-policy': `${limit};w=${windowMs / 1000}` } : {}),
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(Math.max(0, limit - spent)),
  }
}
