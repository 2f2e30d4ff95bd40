import type { HiddenUrl } from './unit-message.ts'

/** The URLs among values. They may contain keys. */
export function urlsIn(values: unknown): string[] {
  if (typeof values === 'string') return /^\s*(https?|wss?):/i.test(values) ? [values] : []
  return typeof values === 'object' && values !== null ? Object.values(values).flatMap(urlsIn) : []
}

/** Replaces each listed URL by its number. */
export function hideUrls(values: unknown, urls: readonly string[]): unknown {
  return replaced(values, (value) => {
    const url = typeof value === 'string' ? urls.indexOf(value) : -1
    return url === -1 ? null : ({ url } satisfies HiddenUrl)
  })
}

/** Restores the URLs. */
export function revealUrls(values: unknown, urls: readonly string[]): unknown {
  return replaced(values, (value) => (isHidden(value) ? (urls[value.url] ?? null) : null))
}

function isHidden(value: unknown): value is HiddenUrl {
  return typeof value === 'object' && value !== null && typeof (value as Partial<HiddenUrl>).url === 'number'
}

/** A copy with the values that `replace` returns; null keeps a value. */
function replaced(value: unknown, replace: (value: unknown) => unknown): unknown {
  const other = replace(value)
  if (other !== null) return other
  if (Array.isArray(value)) return value.map((each) => replaced(each, replace))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, replaced(each, replace)]))
}
