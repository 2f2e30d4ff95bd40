import type { RateLimit } from '../../src/fetch/limits.ts'

type LimitSigns = NonNullable<Parameters<RateLimit['report']>[1]>

/** A service that enforces a limit of units; times are in milliseconds. */
export type LimitedService = {
  /** Answers a request that costs `units`. */
  answer(units: number, now: number): LimitSigns
  setLimit(units: number): void
}

export type Enforcement = 'fixed window' | 'calendar window' | 'sliding window' | 'large bucket' | 'small bucket'
export const enforcements: readonly Enforcement[] = [
  'fixed window',
  'calendar window',
  'sliding window',
  'large bucket',
  'small bucket',
]

export type Telling = { readonly retryAfter?: boolean; readonly headers?: boolean; readonly reset?: boolean }

/** Grants `limit` units per window; `kind` is how it enforces them, `told` is what its headers report. */
export function limitedService(kind: Enforcement, limit: number, windowMs: number, told: Telling = {}): LimitedService {
  const meter = kind.endsWith('bucket') ? bucket : kind === 'sliding window' ? sliding : fixed
  const { left, spend, resetMs } = meter(kind, () => limit, windowMs)
  return {
    answer(units, now) {
      const fits = left(now) >= units
      if (fits) spend(units, now)
      const seconds = String(Math.ceil(resetMs(units, now) / 1000))
      return {
        status: fits ? 200 : 429,
        headers: {
          ...(told.headers
            ? {
                'ratelimit-policy': `${limit};w=${windowMs / 1000}`,
                'ratelimit-limit': String(limit),
                'ratelimit-remaining': String(Math.max(0, Math.floor(left(now)))),
              }
            : {}),
          ...(told.reset ? { 'ratelimit-reset': seconds } : {}),
          ...(told.retryAfter && !fits ? { 'retry-after': seconds } : {}),
        },
      }
    },
    setLimit(units) {
      limit = units
    },
  }
}

type Meter = {
  left(now: number): number
  spend(units: number, now: number): void
  /** Milliseconds until a request of `units` fits. */
  resetMs(units: number, now: number): number
}

function fixed(kind: Enforcement, limit: () => number, windowMs: number): Meter {
  let begun = kind === 'calendar window' ? -windowMs * 0.4 : Number.NEGATIVE_INFINITY
  let spent = 0
  const turn = (now: number) => {
    if (now - begun < windowMs) return
    begun = kind === 'calendar window' ? begun + windowMs * Math.floor((now - begun) / windowMs) : now
    spent = 0
  }
  return {
    left: (now) => {
      turn(now)
      return limit() - spent
    },
    spend: (units) => {
      spent += units
    },
    resetMs: (_, now) => begun + windowMs - now,
  }
}

function sliding(_: Enforcement, limit: () => number, windowMs: number): Meter {
  const log: { at: number; units: number }[] = []
  let spent = 0
  const left = (now: number) => {
    while (log[0] !== undefined && log[0].at <= now - windowMs) spent -= log.shift()?.units ?? 0
    return limit() - spent
  }
  return {
    left,
    spend: (units, now) => {
      spent += units
      log.push({ at: now, units })
    },
    resetMs: (units, now) => {
      let missing = units - left(now)
      for (const { at, units: freed } of log) {
        if (missing <= 0) return at + windowMs - now
        missing -= freed
      }
      return windowMs
    },
  }
}

function bucket(kind: Enforcement, limit: () => number, windowMs: number): Meter {
  const size = () => (kind === 'small bucket' ? limit() / 20 : limit())
  let tokens = size()
  let filled = 0
  const left = (now: number) => {
    tokens = Math.min(size(), tokens + ((now - filled) * limit()) / windowMs)
    filled = now
    return tokens
  }
  return {
    left,
    spend: (units) => {
      tokens -= units
    },
    resetMs: (units, now) => Math.max(0, ((units - left(now)) * windowMs) / limit()),
  }
}
