import { HttpError, RateLimitError, type TransportError } from '../errors.ts'
import { type Asked, facts } from './failures.ts'
import { userAgent } from './user-agent.ts'

export type RefusedAnswer = {
  readonly status: number
  /** What the body says, or its beginning; free of secrets. */
  readonly excerpt: string
  /** It comes from what stands in front of the service, or in its place. */
  readonly foreign: boolean
  /** Header `location`, redacted. */
  readonly location: string | undefined
  /** What `Retry-After` asked for. */
  readonly retryAfterMs: number | undefined
  /** The status says "too many". */
  readonly limited: boolean
}

/** What to do about a status, in the words of the service. */
export type StatusAdvice = Readonly<Record<number, string>>

type Explanation = { message: string; hint: string; code?: string }

/** The error of an answer whose status is not accepted, with what to do about it. */
export function statusFailure(answer: RefusedAnswer, asked: Asked, advice: StatusAdvice = {}): TransportError {
  const { status, excerpt, retryAfterMs, foreign } = answer
  // The service's own words say nothing of what somebody else answers.
  const own = foreign ? undefined : advice[status]
  const details = { ...facts(asked), status, answer: excerpt === '' ? undefined : excerpt }
  if (answer.limited)
    return new RateLimitError(`${asked.url} asks for fewer requests (${status}).`, retryAfterMs, {
      details,
      hint: foreign
        ? 'A proxy in front of the service limits this client, whatever its key: lower --concurrency.'
        : (own ?? 'Lower --concurrency, or use a node or key with a higher limit.'),
    })
  const { message, hint, ...options } = foreign ? explainForeign(answer, asked.url) : explain(answer, asked.url)
  return new HttpError(message, status, { ...options, hint: own ?? hint, details })
}

/** The service was not reached: a firewall, a proxy or a website answered with a page of its own. */
function explainForeign(answer: RefusedAnswer, url: string): Explanation {
  const { status } = answer
  if (status === 403)
    return {
      code: 'transport.blocked',
      message: `${url} is blocked (403): a web page answers, not the service.`,
      hint: `A firewall in front of the service refuses this client; it has not looked at a key. Wait, ask more slowly (--concurrency 1) or from another address; if that does not help, ask the provider to let ${userAgent()} through.`,
    }
  if (status === 401)
    return {
      ...explain(answer, url),
      hint: 'A proxy in front of the service demands them, not the service: give http://user:password@host as its URL; they are never logged.',
    }
  if (status === 404)
    return {
      code: 'transport.not-found',
      message: `${url} is not found (404): a web page answers there, not the service.`,
      hint: 'Check the URL: a website or proxy answers in place of the service, or does not pass this path on.',
    }
  if (status >= 500)
    return {
      message: `${url} answers with status ${status} and a web page.`,
      hint: 'A proxy in front of the service answers: the service is down or cannot be reached from there. Try again later.',
    }
  if (status >= 300 && status < 400) return explain(answer, url)
  return {
    message: `${url} refuses the request (${status}) with a web page.`,
    hint: 'A website or proxy answers in place of the service: check the URL.',
  }
}

/** How a node is made to offer an interface that it may not offer; null for paths that have no such setting. */
function switchOf(url: string): string | null {
  const path = url.replace(/[?#].*/, '')
  if (/\/ext\/bc\/[^/]+\/admin$/.test(path))
    return 'Set "admin-api-enabled": true in the configuration of this chain and start the node again. Nodes since Helicon no longer offer this API.'
  if (/\/ext\/health(\/|$)/.test(path))
    return 'Start the node with --api-health-enabled=true, which is its default, or check the URL.'
  return null
}

function explain({ status, excerpt, location }: RefusedAnswer, url: string): Explanation {
  if (status === 503 && /bootstrapp/i.test(excerpt))
    return {
      code: 'transport.bootstrapping',
      message: `The node at ${url} is still bootstrapping this chain (503).`,
      hint: 'Wait until the node has caught up, then run again; its index API keeps answering meanwhile.',
    }
  if (status === 404 && url.includes('/ext/index/'))
    return {
      code: 'transport.no-index',
      message: `The node has no index for this chain: ${url} is not found (404).`,
      hint: 'Start the node with --index-enabled (on a fresh database, for an index from the first block), and check the path.',
    }
  if (status === 404)
    return {
      code: 'transport.not-found',
      message: `${url} is not found (404).`,
      hint: switchOf(url) ?? 'Check the URL; the service may not offer this interface.',
    }
  if (status === 401)
    return {
      code: 'transport.unauthorized',
      message: `${url} demands credentials (401).`,
      hint: 'Give the right ones, such as http://user:password@host:9650; they are never logged.',
    }
  if (status === 403)
    return {
      code: 'transport.forbidden',
      message: `${url} refuses the request (403).`,
      hint: 'Check the rights of the key; a node answers only to host names that its --http-allowed-hosts lists.',
    }
  if (status >= 300 && status < 400)
    return {
      code: 'transport.redirect',
      message: `${url} redirects elsewhere (${status}); redirects are not followed.`,
      hint: location === undefined ? 'Give the final URL.' : `Give the final URL; it names ${location}.`,
    }
  if (status >= 500)
    return {
      message: `${url} answers with status ${status}.`,
      hint: 'The service has a fault of its own; look at its log.',
    }
  if (status === 400)
    return { message: `${url} refuses the request (400).`, hint: 'The answer says what is wrong with it.' }
  return { message: `${url} refuses the request (${status}).`, hint: 'Check that the URL is that of the service.' }
}
