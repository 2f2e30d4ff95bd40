import {
  ChainlakeError,
  type ErrorFacts,
  HttpError,
  RateLimitError,
  RpcError,
  TimeoutError,
  TransportError,
} from '../errors.ts'
import { NestingError } from '../lib/text/json.ts'
import { redactUrl } from './base-url.ts'

/** How messages name a request. */
export type RequestedUrl = {
  /** Redacted. */
  readonly url: string
  /** Such as the name of an RPC method. */
  readonly label?: string
}

/** The URL is redacted only when a message needs it, since most requests succeed. */
export function requestedUrl(url: string, label: string | undefined): RequestedUrl {
  return {
    get url() {
      return redactUrl(url)
    },
    ...(label === undefined ? {} : { label }),
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
  const said = cause instanceof Error ? oneLine(cause.message) : ''
  const reason = texts[code] ?? (said === '' ? code : said)
  const details = { ...facts(requested), cause: code }
  const message = `No answer from ${requested.url}: ${reason}.`
  if (timeouts.has(code)) return new TimeoutError(message, { details, hint: slowHint, cause })
  if (code === 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL')
    return new TransportError(message, {
      code: 'transport.tls',
      retryable: false,
      details,
      hint: http2Hint,
      cause,
    })
  if (tlsFailure.test(code))
    return new TransportError(message, {
      code: 'transport.tls',
      retryable: false,
      details,
      hint: 'Check whether the URL should begin with http:// or https://, and check the certificate of the service. For an authority of your own (a company, a proxy that looks into TLS), put its certificate into a file and name it in NODE_EXTRA_CA_CERTS.',
      cause,
    })
  return new TransportError(message, {
    code: 'transport.connection',
    retryable: code !== 'UND_ERR_INVALID_ARG',
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
  return new TimeoutError(`No complete answer from ${requested.url} within ${milliseconds} ms.`, {
    details: facts(requested),
    hint: slowHint,
  })
}

/** The answer exceeds the size limit. A retry would get the same answer, so the error is not retryable. */
export function tooLarge(limit: number, requested: RequestedUrl): TransportError {
  return new TransportError(`The answer of ${requested.url} is larger than ${limit} bytes.`, {
    code: 'transport.too-large',
    retryable: false,
    details: facts(requested),
  })
}

const proxyHint =
  'Check that the URL is that of the service. A proxy may answer instead of the service, or truncate answers.'

/** A compressed answer that does not decompress: it is truncated or damaged. */
export function damaged(cause: Error, requested: RequestedUrl): TransportError {
  return new TransportError(`The answer of ${requested.url} cannot be decompressed: it is damaged or truncated.`, {
    code: 'transport.unreadable',
    details: { ...facts(requested), cause: cause.message },
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
      retryable: false,
      details: { ...facts(requested), accepted },
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
      retryable: false,
      details: { ...facts(requested), answer: excerpt },
      hint: 'Committed data is not affected. No answer of a node or service is nested this deeply: check that the URL is that of the service.',
      cause,
    })
  return new TransportError(`The answer of ${requested.url} cannot be read.`, {
    code: 'transport.unreadable',
    details: { ...facts(requested), cause: saidByParser(cause), answer: excerpt },
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
  const options = {
    code: error.code,
    details: { ...error.details, tries },
    retryable: error.retryable,
    cause: error,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
  }
  if (error instanceof HttpError) return new HttpError(message, error.status, options)
  if (error instanceof RateLimitError) return new RateLimitError(message, error.retryAfterMs, options)
  if (error instanceof TimeoutError) return new TimeoutError(message, options)
  if (error instanceof RpcError) return new RpcError(message, rpcFacts(error), options)
  return new TransportError(message, options)
}

function rpcFacts({ rpcCode, answer, data, status }: RpcError) {
  return { code: rpcCode, answer, data, status }
}

export function facts({ label }: RequestedUrl): ErrorFacts {
  return label === undefined ? {} : { request: label }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function codeOf(cause: unknown): string {
  if (typeof cause === 'object' && cause !== null && 'code' in cause && typeof cause.code === 'string')
    return cause.code
  return cause instanceof Error ? cause.name : 'unknown'
}
