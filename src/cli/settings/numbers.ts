import { ConfigError } from '../../errors.ts'
import { parseBaseUrl } from '../../fetch/base-url.ts'

/** Parses a whole number of at least `least`. `name` is the flag, variable or key for the error message. */
export function parseWhole(name: string, text: string, least = 0): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (Number.isSafeInteger(value) && value >= least) return value
  throw new ConfigError(`${name} must be a whole number from ${least}, not ${JSON.stringify(text)}.`, {
    code: 'config.number',
    hint: `Use digits only, at most ${Number.MAX_SAFE_INTEGER}.`,
  })
}

/** Parses a TCP port. */
export function parsePort(name: string, text: string): number {
  const port = parseWhole(name, text, 1)
  if (port <= 65_535) return port
  throw new ConfigError(`${name} must be a port, not ${text}.`, {
    code: 'config.number',
    hint: 'The largest port is 65535.',
  })
}

const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const
const longestMs = 2 ** 31 - 1

/** Parses a duration such as `500ms`, `30s`, `2m`, `1h`; a bare number means seconds. Returns milliseconds, at least 1. */
export function parseDuration(name: string, text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text)
  const unit = (match?.[2] ?? 's') as keyof typeof unitMs
  const value = match === null ? Number.NaN : Math.round(Number(match[1]) * unitMs[unit])
  if (value >= 1 && value <= longestMs) return value
  throw new ConfigError(`${name} must be a duration, not ${JSON.stringify(text)}.`, {
    code: 'config.duration',
    hint: 'Write 500ms, 30s, 2m or 1h; at least 1ms, at most 24 days.',
  })
}

/** Parses a duration that may be 0. Returns milliseconds. */
export function parseLag(name: string, text: string): number {
  return /^0+(?:\.0+)?(?:ms|s|m|h)?$/.test(text) ? 0 : parseDuration(name, text)
}

/** Parses an age such as `30d`, `12h`, `90m` or `0s`; a bare number means days. Returns milliseconds. */
export function parseAge(name: string, text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text)
  const unit = { ...unitMs, d: 86_400_000 }[(match?.[2] ?? 'd') as 'd']
  const value = match === null ? Number.NaN : Math.round(Number(match[1]) * unit)
  if (Number.isSafeInteger(value) && value <= longestAgeMs) return value
  throw new ConfigError(`${name} must be an age, not ${JSON.stringify(text)}.`, {
    code: 'config.duration',
    hint: 'Write 30d, 12h, 90m or 0s.',
  })
}

const longestAgeMs = 100 * 365 * 86_400_000

const unitBytes = { '': 1, B: 1, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 } as const

/** Parses a size such as `500MB`, `2GB`, `1.5TB`; a bare number means bytes. */
export function parseBytes(name: string, text: string): number {
  const match = /^(\d+(?:\.\d+)?) ?(B|kB|MB|GB|TB|)$/.exec(text)
  const value =
    match === null ? Number.NaN : Math.round(Number(match[1]) * unitBytes[match[2] as keyof typeof unitBytes])
  if (Number.isSafeInteger(value)) return value
  throw new ConfigError(`${name} must be a size, not ${JSON.stringify(text)}.`, {
    code: 'config.size',
    hint: 'Write 500MB, 2GB or 1.5TB.',
  })
}

/** Checks the URL of a node. The error names the flag, variable or key, and hides secrets in the URL. */
export function parseNodeUrl(name: string, text: string): string {
  try {
    parseBaseUrl(text)
    return text
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const { message, code, details, hint } = error
    throw new ConfigError(`${name}: ${message}`, { code, details, ...(hint === undefined ? {} : { hint }) })
  }
}
