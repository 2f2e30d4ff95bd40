import type { StatusAdvice } from '../define/connection.ts'
import { HttpError, RateLimitError, type TransportError } from '../errors.ts'
import { facts, type RequestedUrl } from './failures.ts'
import { userAgent } from './user-agent.ts'

type RefusedAnswer = {
  readonly status: number
  /** The message of the body, or its beginning, without secrets. */
  readonly excerpt: string
  /** A firewall, a proxy or a website answered instead of the service. */
  readonly foreign: boolean
  /** Header `location`, redacted. */
  readonly location: string | undefined
  /** The wait that `Retry-After` demands. */
  readonly retryAfterMs: number | undefined
  /** The status says "too many". */
  readonly limited: boolean
}

type Explanation = { message: string; hint: string; code?: string }

/** The error for an answer with a status that is not accepted. */
export function statusFailure(
  answer: RefusedAnswer,
  requested: RequestedUrl,
  advice: StatusAdvice = {},
): TransportError {
  const { status, excerpt, retryAfterMs, foreign } = answer
  // The hints of the service do not apply to answers of a proxy.
  const own = foreign ? undefined : advice[status]
  const details = { ...facts(requested), status, answer: excerpt === '' ? undefined : excerpt }
  if (answer.limited)
    return new RateLimitError(`${requested.url} demands fewer requests (${status}).`, retryAfterMs, {
      details,
      hint: foreign
        ? 'A proxy in front of the service throttles this client, whatever its key: lower --concurrency.'
        : (own ?? 'Lower --concurrency, or use a node or key with a higher limit.'),
    })
  const { message, hint, ...options } =
    explainPort(answer, requested.url) ??
    (foreign ? explainForeign(answer, requested.url) : explain(answer, requested.url))
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
      hint: hintToEnable(url) ?? 'Check the URL; the service may not offer this interface.',
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
  if (status >= 300 && status < 400)
    return {
      code: 'transport.redirect',
      message: `${url} redirects to another URL (${status}); redirects are not followed.`,
      hint: location === undefined ? 'Give the final URL.' : `Give the final URL: it redirects to ${location}.`,
    }
  if (status >= 500)
    return {
      message: `${url} answers with status ${status}.`,
      hint: 'The service failed: see its log.',
    }
  if (status === 400) return { message: `${url} refuses the request (400).`, hint: 'See the answer for the reason.' }
  return { message: `${url} refuses the request (${status}).`, hint: 'Check that the URL is that of the service.' }
}
