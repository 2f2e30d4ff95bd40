import type { Answer, StatusAdvice } from '../define/connection.ts'
import {
  ChainlakeError,
  ConfigError,
  HttpError,
  RateLimitError,
  RpcError,
  TimeoutError,
  TransportError,
} from '../errors.ts'
import { fieldOf, NestingError } from '../lib/json.ts'
import { packageVersion } from '../lib/package.ts'
import { durationText, percentDecoded, visibleText, withoutMark } from '../lib/text.ts'

/** How messages name a request. */
export type RequestedUrl = {
  /** Redacted. */
  readonly url: string
  /** Such as the name of an RPC method. */
  readonly label?: string | undefined
}

/** The URL is redacted only when a message needs it, since most requests succeed. */
export function requestedUrl(url: string, label: string | undefined): RequestedUrl {
  return {
    get url() {
      return redactUrl(url)
    },
    label,
  }
}

const timeouts = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT'])

/** TLS failures that a retry cannot help. */
const tlsFailure = /^(CERT_|ERR_TLS_|ERR_SSL_|EPROTO|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH)/

const texts: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection closed',
  UND_ERR_SOCKET: 'connection closed',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'host name could not be resolved',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  UND_ERR_CONNECT_TIMEOUT: 'connecting timed out',
  UND_ERR_HEADERS_TIMEOUT: 'the request timed out',
  UND_ERR_BODY_TIMEOUT: 'the answer stopped coming',
  ETIMEDOUT: 'connecting timed out',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the service does not speak TLS',
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: 'the service does not speak HTTP/1.1',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer is shorter than its Content-Length',
}

const slowHint = 'Raise --timeout, or request smaller pages. Check whether the service is healthy.'

/** The error of a request that got no complete answer. */
export function connectionFailure(cause: unknown, requested: RequestedUrl): ChainlakeError {
  if (cause instanceof ChainlakeError) return cause
  const code = codeOf(cause)
  const said = cause instanceof Error ? cause.message.replace(/\s+/g, ' ').trim() : ''
  const reason = texts[code] ?? (said === '' ? code : said)
  const details = { request: requested.label, cause: code }
  const message = `No answer from ${requested.url}: ${reason}.`
  if (timeouts.has(code)) return new TimeoutError(message, { details, hint: slowHint, cause })
  if (tlsFailure.test(code))
    return new TransportError(message, {
      code: 'transport.tls',
      details,
      hint:
        code === 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL'
          ? http2Hint
          : 'Check whether the URL should begin with http:// or https://, and check the certificate of the service. For an authority of your own (a company, a proxy that looks into TLS), put its certificate into a file and name it in NODE_EXTRA_CA_CERTS.',
      cause,
    })
  return new TransportError(message, {
    code: 'transport.connection',
    kind: code === 'UND_ERR_INVALID_ARG' ? 'lasting' : 'transient',
    details,
    hint: connectionHint(code, cause, requested.url),
    cause,
  })
}

const http2Hint = 'A service that speaks HTTP/2 only needs a proxy in front that speaks HTTP/1.1.'

/** What to do about a connection that failed. Bytes that are not HTTP/1.1 are TLS or HTTP/2. */
function connectionHint(code: string, cause: unknown, url: string): string {
  const notHttp = code.startsWith('HPE_') || (cause instanceof Error && cause.name === 'HTTPParserError')
  const isCut = /^(UND_ERR_SOCKET|ECONNRESET)$/.test(code) && url.startsWith('http:')
  return notHttp
    ? `The port does not answer in HTTP/1.1. If the URL begins with http://, try https://. ${http2Hint}`
    : `Check that the service is running and that the URL names its host and port.${isCut ? ' A port for HTTPS needs https:// in the URL.' : ''}`
}

export function tooSlow(milliseconds: number, requested: RequestedUrl): TimeoutError {
  const limit = milliseconds < 1_000 ? `${milliseconds} ms` : durationText(milliseconds / 1_000)
  return new TimeoutError(`No complete answer from ${requested.url} within ${limit}.`, {
    details: { request: requested.label },
    hint: slowHint,
  })
}

/** The answer exceeds the size limit. A retry would get the same answer. */
export function tooLarge(limit: number, requested: RequestedUrl): TransportError {
  return new TransportError(`The answer of ${requested.url} is larger than ${limit} bytes.`, {
    code: 'transport.too-large',
    details: { request: requested.label },
    hint: 'No larger answer is read, and a retry would get the same one. Check that the URL is that of the node or service, or ask another one.',
  })
}

const proxyHint =
  'Check that the URL is that of the service. A proxy may answer instead of the service, or truncate answers.'

/** A compressed answer that does not decompress: it is truncated or damaged. */
export function damaged(cause: Error, requested: RequestedUrl): TransportError {
  return new TransportError(`The answer of ${requested.url} cannot be decompressed: it is damaged or truncated.`, {
    code: 'transport.unreadable',
    details: { request: requested.label, cause: cause.message },
    hint: proxyHint,
    cause,
  })
}

/** An answer in an encoding that the request did not accept. */
export function unknownEncoding(encoding: string, accepted: string, requested: RequestedUrl): TransportError {
  return new TransportError(
    `The answer of ${requested.url} is encoded as ${encoding}, which the request did not accept.`,
    {
      code: 'transport.encoding',
      details: { request: requested.label, accepted },
      hint: 'A proxy in front of the service seems to change answers. Use the URL of the service itself, or configure the proxy to pass answers on unchanged.',
    },
  )
}

/** An answer that the parser refused: it is truncated, or it is the answer to something else. */
export function unreadable(cause: unknown, requested: RequestedUrl, excerpt: string): ChainlakeError {
  if (cause instanceof ChainlakeError) return cause
  if (cause instanceof NestingError)
    return new TransportError(`The answer of ${requested.url} cannot be read: ${cause.message}.`, {
      code: 'transport.unreadable',
      kind: 'lasting',
      details: { request: requested.label, answer: excerpt },
      hint: 'Committed data is not affected. No answer of a node or service is nested this deeply: check that the URL is that of the service.',
      cause,
    })
  return new TransportError(`The answer of ${requested.url} cannot be read.`, {
    code: 'transport.unreadable',
    details: { request: requested.label, cause: saidByParser(cause), answer: excerpt === '' ? '(empty)' : excerpt },
    hint: proxyHint,
    ...(cause instanceof SyntaxError ? {} : { cause }),
  })
}

/** A `SyntaxError` of V8 quotes the text, which may contain secrets or parts of them. The excerpt shows the text without them. */
function saidByParser(cause: unknown): string {
  const said = cause instanceof Error ? cause.message : String(cause)
  return cause instanceof SyntaxError ? said.replace(/, (\.\.\.)?".*/s, '') : said
}

/** The error of the last try, with the number of tries. Errors that were not retried stay as they are. */
export function afterTries(error: TransportError, tries: number): TransportError {
  if (tries < 2) return error
  const message = `${error.message.replace(/\.$/, '')} (${tries} tries).`
  const { code, kind, hint } = error
  const options = { code, kind, hint, details: { ...error.details, tries }, cause: error }
  if (error instanceof HttpError) return new HttpError(message, error.status, options)
  if (error instanceof RateLimitError) return new RateLimitError(message, error.retryAfterMs, options)
  if (error instanceof TimeoutError) return new TimeoutError(message, options)
  if (error instanceof RpcError) return new RpcError(message, { ...error, code: error.rpcCode }, options)
  return new TransportError(message, options)
}

function codeOf(cause: unknown): string {
  if (typeof cause === 'object' && cause !== null && 'code' in cause && typeof cause.code === 'string')
    return cause.code
  return cause instanceof Error ? cause.name : 'unknown'
}

type RefusedAnswer = {
  readonly status: number
  /** The message of the body, or its beginning, without secrets. */
  readonly excerpt: string
  /** Header `location`, redacted. */
  readonly location: string | undefined
}

type Explanation = { message: string; hint: string; code?: string }

type Refusal = {
  /** The status says "too many". */
  readonly isLimited: boolean
  /** The wait that `Retry-After` demands. */
  readonly retryAfterMs: number | undefined
  readonly advice: StatusAdvice
}

/** The error for an answer with a status that is not accepted. */
export function statusFailure(
  answer: Answer,
  requested: RequestedUrl,
  { origin, secrets }: Pick<BaseUrl, 'origin' | 'secrets'>,
  { isLimited, retryAfterMs, advice }: Refusal,
): TransportError {
  const { status, headers } = answer
  const excerpt = saidBy(answer.body, secrets)
  const foreign = isForeign(answer)
  // The hints of the service do not apply to answers of a proxy.
  const own = foreign ? undefined : advice[status]
  const details = { request: requested.label, status, answer: excerpt === '' ? undefined : excerpt }
  if (isLimited)
    return new RateLimitError(`${requested.url} demands fewer requests (${status}).`, retryAfterMs, {
      details,
      hint: foreign
        ? 'A proxy in front of the service throttles this client, whatever its key: lower --concurrency.'
        : (own ?? 'Lower --concurrency, or use a node or key with a higher limit.'),
    })
  const target = headers['location'] ?? null
  const location = target !== null && URL.canParse(target, origin) ? redactUrl(new URL(target, origin).href) : undefined
  const refused = { status, excerpt, location }
  const { message, hint, ...options } =
    explainPort(refused, requested.url) ??
    (foreign ? explainForeign(refused, requested.url) : explain(refused, requested.url))
  return new HttpError(message, status, { ...options, hint: own ?? hint, details })
}

/** A port for HTTPS answers plain HTTP with a sentence. */
function explainPort({ status, excerpt }: RefusedAnswer, url: string): Explanation | null {
  if (status !== 400 || !/HTTP request\b.*\bHTTPS\b/is.test(excerpt)) return null
  return {
    code: 'transport.tls',
    message: `${url} is a port for HTTPS (400).`,
    hint: 'Begin the URL with https:// instead of http://.',
  }
}

/** The request did not reach the service: a firewall, a proxy or a website answered with a page of its own. */
function explainForeign(answer: RefusedAnswer, url: string): Explanation {
  const { status } = answer
  if (status === 403)
    return {
      code: 'transport.blocked',
      message: `${url} is blocked (403): a web page answers, not the service.`,
      hint: `A firewall in front of the service refuses this client without checking a key. Wait, lower the rate (--concurrency 1), or use another IP address. If that does not help, ask the provider to allow ${userAgent()}.`,
    }
  if (status === 401)
    return {
      ...explain(answer, url),
      hint: 'A proxy in front of the service demands credentials, not the service. Give http://user:password@host as the URL; credentials are never logged.',
    }
  if (status === 404)
    return {
      code: 'transport.not-found',
      message: `${url} is not found (404): a web page answers there, not the service.`,
      hint: 'Check the URL: a website or proxy answers instead of the service, or does not forward this path.',
    }
  if (status >= 500)
    return {
      message: `${url} answers with status ${status} and a web page.`,
      hint: 'A proxy answers instead of the service: the service is down, or the proxy cannot reach it. Try again later.',
    }
  if (status >= 300 && status < 400) return explain(answer, url)
  return {
    message: `${url} refuses the request (${status}) with a web page.`,
    hint: 'A website or proxy answers instead of the service: check the URL.',
  }
}

/** How to enable an interface that a node does not offer; null for paths without such a setting. */
function hintToEnable(url: string): string | null {
  const path = url.replace(/[?#].*/, '')
  if (/\/ext\/bc\/[^/]+\/admin$/.test(path))
    return 'Set "admin-api-enabled": true in the configuration of this chain and restart the node. Nodes since Helicon no longer offer this API.'
  if (/\/ext\/health(\/|$)/.test(path))
    return 'Start the node with --api-health-enabled=true (the default), or check the URL.'
  return null
}

function explain({ status, excerpt, location }: RefusedAnswer, url: string): Explanation {
  if (status === 503 && /bootstrapp/i.test(excerpt))
    return {
      code: 'transport.bootstrapping',
      message: `The node at ${url} is still bootstrapping this chain (503).`,
      hint: 'Wait until the node has bootstrapped, then run again. Its index API keeps answering in the meantime.',
    }
  if (status === 404 && url.includes('/ext/index/'))
    return {
      code: 'transport.no-index',
      message: `The node has no index for this chain: ${url} is not found (404).`,
      hint: 'Start the node with --index-enabled, and check the path. The index begins with the first block only if the database of the node is new.',
    }
  if (status === 404)
    return {
      code: 'transport.not-found',
      message: `${url} is not found (404).`,
      hint:
        hintToEnable(url) ??
        `Check the URL; the service may not offer this interface.${/^\w+:\/\/[^/]+\/?$/.test(url) ? ' A node serves its C-Chain at /ext/bc/C/rpc.' : ''}`,
    }
  if (status === 401)
    return {
      code: 'transport.unauthorized',
      message: `${url} demands credentials (401).`,
      hint: 'Give credentials in the URL, such as http://user:password@host:9650; they are never logged.',
    }
  if (status === 403)
    return {
      code: 'transport.forbidden',
      message: `${url} refuses the request (403).`,
      hint: 'Check the permissions of the key. A node answers only requests to host names in its --http-allowed-hosts.',
    }
  if (status < 300)
    return {
      message: `${url} answers with status ${status}: that is not the whole answer.`,
      hint: 'Such an answer is not read, because records may be missing in it. Check that the URL is that of the service; a proxy in front of it may truncate answers.',
    }
  if (status >= 300 && status < 400)
    return {
      code: 'transport.redirect',
      message: `${url} redirects to another URL (${status}); redirects are not followed.`,
      hint: redirectHint(location, url),
    }
  if (status >= 500)
    return {
      message: `${url} answers with status ${status}.`,
      hint: 'The service failed. Run again later, or see its log if you run it yourself.',
    }
  if (status === 400) return { message: `${url} refuses the request (400).`, hint: 'See the answer for the reason.' }
  return { message: `${url} refuses the request (${status}).`, hint: 'Check that the URL is that of the service.' }
}

/** The base URL to give instead of the redirecting one. The path of an interface of a node is not part of the URL that people give. */
function redirectHint(location: string | undefined, url: string): string {
  if (location === undefined) return 'Give the final URL.'
  if (location === url) return 'It redirects to itself: check the proxy in front of the service, or give its final URL.'
  const own = /\/ext\/.*$/.exec(url)?.[0]
  if (own === undefined || !location.endsWith(own)) return `Give the final URL: it redirects to ${location}.`
  return `Give the final URL: ${location.slice(0, -own.length)}.`
}

/** A widely used firewall sends this text to programs instead of a page: `error code: 1020`. */
const firewallText = /^error code: 1\d{3}$/i

/**
 * Whether a firewall, a proxy or a login page answered instead of the service. Services and nodes answer with JSON or plain text, never
 * with a web page.
 */
function isForeign({ headers, body }: Pick<Answer, 'headers' | 'body'>): boolean {
  const text = withoutMark(body.toString('utf8', 0, 1000)).trim()
  if (/^[{[]/.test(text)) return false
  return isWebPage(text) || /\bx?html\b/i.test(headers['content-type'] ?? '') || firewallText.test(text)
}

function isWebPage(text: string): boolean {
  return /^\s*<(!doctype html|html|head|body)\b/i.test(text)
}

/** The text of a web page without its tags. */
function textOfPage(page: string): string {
  return page
    .replace(/<!--.*?-->/gs, ' ')
    .replace(/<(script|style)\b.*?(<\/\1>|$)/gis, ' ')
    .replace(/<[^>]*(>|$)/g, ' ')
}

/**
 * The beginning of an answer as messages may show it: one line without secrets and terminal control characters. HTML tags of a web page
 * are removed.
 */
export function excerptOf(body: Buffer, secrets: readonly string[]): string {
  return shown(body.toString('utf8', 0, 20_000), secrets)
}

/**
 * The message of an error body (specification 000, part 7: `message`, one text or several; JSON-RPC: `error.message`), otherwise its
 * beginning.
 */
function saidBy(body: Buffer, secrets: readonly string[]): string {
  return shown(messageIn(body.toString('utf8', 0, 20_000)), secrets)
}

function messageIn(text: string): string {
  try {
    const body: unknown = JSON.parse(text)
    const message = fieldOf(body, 'message') ?? fieldOf(fieldOf(body, 'error'), 'message')
    if (typeof message === 'string') return message
    if (Array.isArray(message) && message.every((line) => typeof line === 'string')) return message.join('; ')
  } catch {
    // The body is not JSON: show its text.
  }
  return text
}

function shown(text: string, secrets: readonly string[]): string {
  const safe = withoutSecrets(text, secrets)
  const said = isWebPage(safe) ? textOfPage(safe) : safe
  return visibleText(said.replace(/\s+/g, ' ').trim().slice(0, 300))
}

/** A text with `…` for each secret. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '…'), text)
}

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
  const user = percentDecoded(url.username)
  const password = percentDecoded(url.password)
  const pair = `${user}:${password}`
  const authorization = pair === ':' ? null : `Basic ${Buffer.from(pair).toString('base64')}`
  const values = url.search.split(/[?&]/).map((pair) => pair.slice(pair.indexOf('=') + 1))
  const names = [url.username, ...url.pathname.split('/')].filter((name) =>
    [name, percentDecoded(name)].some(looksSecret),
  )
  return {
    origin: url.origin,
    prefix: url.pathname.replace(/\/+$/, ''),
    query: url.search.replace(/^\?/, ''),
    authorization,
    secrets: [
      ...[url.password, ...values, ...names].flatMap(spellings),
      ...url.searchParams.values(),
      ...(authorization === null ? [] : [authorization.slice(6)]),
    ].filter((secret) => secret.length > 3),
  }
}

/** A server may repeat what it was sent, what it has read of that, or what it writes for that. */
function spellings(text: string): string[] {
  const read = percentDecoded(text)
  return [text, read, encodeURIComponent(read)]
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
  const url = URL.canParse(text) ? new URL(text) : null
  // In `user:password@host` the user is the scheme, and the rest is a path.
  if (url === null || url.host === '') return '(not a URL)'
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

/** The user agent of every request, such as `chainlake/0.1.0`: providers block clients without one. */
export function userAgent(): string {
  return `chainlake/${packageVersion()}`
}
