import { TransportError } from '../../errors.ts'
import { parseBaseUrl, redactUrl } from '../../fetch/base-url.ts'

/**
 * The target of the link to the next page in a header `Link` (RFC 8288), such as `</items?page=2>; rel="next"`; null without such a link.
 * A target may contain commas, and a relation may be one of several words.
 */
export function nextLink(header: string | undefined): string | null {
  for (const [, target = '', parameters = ''] of (header ?? '').matchAll(/<([^>]*)>((?:\s*;[^,;"]*(?:"[^"]*")?)*)/g)) {
    const relation = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters)
    const words = (relation?.[1] ?? relation?.[2] ?? '').toLowerCase().split(/\s+/)
    if (words.includes('next')) return target
  }
  return null
}

/**
 * Path and query of a link, relative to the base URL of the service, without the query that the base URL adds to each request. `path` is the
 * path of the request. Throws `TransportError` for a link that leads out of the base URL: headers with keys must not go to another origin.
 */
export function pathOfLink(link: string, baseUrl: string, path: string): string {
  const { origin, prefix, query } = parseBaseUrl(baseUrl)
  const base = origin + prefix + path
  const target = URL.canParse(link, base) ? new URL(link, base) : null
  if (target === null || target.origin !== origin || !target.pathname.startsWith(`${prefix}/`))
    throw new TransportError('The link to the next page leads to another place than the service.', {
      code: 'transport.link',
      retryable: false,
      details: { link: target === null ? link.slice(0, 200) : redactUrl(target.href), service: redactUrl(baseUrl) },
      hint: 'Nothing was requested there, because the headers of the service may hold a key. Compare the URL of the service with its documentation.',
    })
  for (const name of new URLSearchParams(query).keys()) target.searchParams.delete(name)
  return target.pathname.slice(prefix.length) + target.search
}
