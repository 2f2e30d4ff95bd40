import { HttpError, RateLimitError, type TransportError } from '../errors.ts'
import { type Asked, facts } from './failures.ts'

export type RefusedAnswer = {
  readonly status: number
  /** What the body says, or its beginning; free of secrets. */
  readonly excerpt: string
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
  const { status, excerpt, retryAfterMs } = answer
  const details = { ...facts(asked), status, answer: excerpt === '' ? undefined : excerpt }
  if (answer.limited)
    return new RateLimitError(`${asked.url} asks for fewer requests (${status}).`, retryAfterMs, {
      details,
      hint: advice[status] ?? 'Lower --concurrency, or use a node or key with a higher limit.',
    })
  const { message, hint, ...options } = explain(answer, asked.url)
  return new HttpError(message, status, { ...options, hint: advice[status] ?? hint, details })
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
      hint: 'Check the URL; the service may not offer this interface.',
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
