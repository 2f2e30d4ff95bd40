import type { HiddenUrl } from './unit-message.ts'

/** The texts among values that are URLs: they may hold keys. */
export function urlsIn(values: unknown): string[] {
  if (typeof values === 'string') return /^\s*https?:/i.test(values) ? [values] : []
  return typeof values === 'object' && values !== null ? Object.values(values).flatMap(urlsIn) : []
}

/** Values with a number in place of each URL that is in the list. */
export function hideUrls(values: unknown, urls: readonly string[]): unknown {
  return replaced(values, (value) => {
    const url = typeof value === 'string' ? urls.indexOf(value) : -1
    return url === -1 ? null : ({ url } satisfies HiddenUrl)
  })
}

/** The values as they were. */
export function revealUrls(values: unknown, urls: readonly string[]): unknown {
  return replaced(values, (value) => (isHidden(value) ? (urls[value.url] ?? null) : null))
}

function isHidden(value: unknown): value is HiddenUrl {
  return typeof value === 'object' && value !== null && typeof (value as Partial<HiddenUrl>).url === 'number'
}

/** A copy in which what `replace` gives stands in place of values; null: the value stays. */
function replaced(value: unknown, replace: (value: unknown) => unknown): unknown {
  const other = replace(value)
  if (other !== null) return other
  if (Array.isArray(value)) return value.map((each) => replaced(each, replace))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, replaced(each, replace)]))
}
