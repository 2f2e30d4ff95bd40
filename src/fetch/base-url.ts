import { ConfigError } from '../errors.ts'

/** A service's address, taken apart so that its secrets cannot reach a message. */
export type BaseUrl = {
  /** Scheme, host and port. */
  readonly origin: string
  /** Path that every request starts with: empty or `/…` without a slash at the end. */
  readonly prefix: string
  /** Query that every request carries (some providers put a key there): empty or `name=value&…`. */
  readonly query: string
  /** Value of the header Authorization made of the credentials in the URL. */
  readonly authorization: string | null
  /** Texts that no message may hold. */
  readonly secrets: readonly string[]
}

/** Reads a base URL: http or https, with an optional path prefix, query and credentials. Throws `ConfigError`. */
export function parseBaseUrl(text: string): BaseUrl {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || url.hostname === '')
    throw new ConfigError('The URL is malformed.', {
      code: 'config.url',
      details: { url: redactUrl(text) },
      hint: 'Give a whole URL such as http://127.0.0.1:9650.',
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

/**
 * The URL as messages may show it: without credentials and fragment, a query as `?…`, and each path segment before
 * `/ext/` that looks like a key as `…`.
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

/** Providers put keys into paths: 16 and more characters with letters and digits are taken for one. */
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
