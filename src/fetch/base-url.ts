import { ConfigError } from '../errors.ts'

/** The address of a service, split into parts so that its secrets cannot reach a message. */
export type BaseUrl = {
  /** Scheme, host and port. */
  readonly origin: string
  /** Path prefix of every request: empty or `/…` without a trailing slash. */
  readonly prefix: string
  /** Query of every request (some providers put a key there): empty or `name=value&…`. */
  readonly query: string
  /** Value of the header Authorization, from the credentials in the URL. */
  readonly authorization: string | null
  /** Texts that must not appear in messages. */
  readonly secrets: readonly string[]
}

/** Reads a base URL: http or https, with an optional path prefix, query and credentials. Throws `ConfigError`. */
export function parseBaseUrl(text: string): BaseUrl {
  const complete = withScheme(text)
  if (complete !== null)
    throw new ConfigError('The URL does not begin with http:// or https://.', {
      code: 'config.url',
      hint: `Write ${redactUrl(complete)}.`,
    })
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || url.hostname === '')
    throw new ConfigError('The URL is malformed.', {
      code: 'config.url',
      details: { url: redactUrl(text) },
      hint: 'Give a complete URL such as http://127.0.0.1:9650.',
    })
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new ConfigError(`The URL has the scheme ${url.protocol}//, not http:// or https://.`, {
      code: 'config.url',
      details: { url: redactUrl(text) },
      hint: 'Give a URL such as http://127.0.0.1:9650.',
    })
  const user = decoded(url.username)
  const password = decoded(url.password)
  const pair = `${user}:${password}`
  const authorization = pair === ':' ? null : `Basic ${Buffer.from(pair).toString('base64')}`
  const keys = [...url.searchParams.values(), ...url.pathname.split('/').filter(looksSecret)]
  return {
    origin: url.origin,
    prefix: url.pathname.replace(/\/+$/, ''),
    query: url.search.replace(/^\?/, ''),
    authorization,
    secrets: [password, url.password, ...keys, ...(authorization === null ? [] : [authorization.slice(6)])].filter(
      (secret) => secret.length > 3,
    ),
  }
}

/** The complete URL of a host and port without a scheme, which would be a URL of the scheme `localhost:`; null for any other text. */
function withScheme(text: string): string | null {
  const port = /^[^/\s?#]+:(\d+)(?:[/?#]|$)/.exec(text)?.[1]
  if (port === undefined) return null
  const complete = `${port === '443' ? 'https' : 'http'}://${text}`
  return URL.canParse(complete) ? complete : null
}

/**
 * The URL as messages may show it: without credentials and fragment. `?…` replaces a query, and `…` replaces each path segment before
 * `/ext/` that looks like a key.
 */
export function redactUrl(text: string): string {
  if (!URL.canParse(text)) return '(not a URL)'
  const url = new URL(text)
  const [prefix = '', ...rest] = url.pathname.split('/ext/')
  const shown = prefix
    .split('/')
    .map((segment) => (looksSecret(segment) ? '…' : segment))
    .join('/')
  const path = [shown, ...rest].join('/ext/')
  return `${url.protocol}//${url.host}${path}${url.search === '' ? '' : '?…'}`
}

/** Providers put keys into paths: a segment of 16 or more characters with letters and digits counts as a key. */
function looksSecret(segment: string): boolean {
  return /^[\w~.%-]{16,}$/.test(segment) && /\d/.test(segment) && /[a-z]/i.test(segment)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
