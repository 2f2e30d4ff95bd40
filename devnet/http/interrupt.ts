import { type FaultKind, isServicePath } from '../faults/kinds.ts'
import { type Answer, jsonAnswer, textAnswer } from './answer.ts'

/** The response of a fault that occurs before the request is handled; null for other faults. */
export function interruption(kind: FaultKind, path: string): Answer | null {
  switch (kind) {
    case 'rate-limit':
      return tooMany(path)
    case 'rate-limit-seconds':
      return tooMany(path, { 'retry-after': '1' })
    case 'rate-limit-date':
      return tooMany(path, { 'retry-after': new Date(Date.now() + 1000).toUTCString() })
    case 'rate-limit-day':
      return tooMany(path, { 'retry-after': '86400' })
    case 'rate-limit-decade':
      return tooMany(path, { 'ratelimit-remaining': '0', 'ratelimit-reset': String(10 * 365 * 86_400) })
    case 'server-error':
      return textAnswer(500, 'internal error')
    case 'bad-gateway':
      return textAnswer(502, '<html><body>502 Bad Gateway</body></html>', { 'content-type': 'text/html' })
    case 'unavailable':
      return textAnswer(503, '')
    case 'bootstrapping':
      return textAnswer(503, 'API call rejected because chain is not done bootstrapping')
    case 'index-off':
      return path.startsWith('/ext/index/') ? textAnswer(404, '404 page not found\n') : null
    default:
      return null
  }
}

/** HTTP 429: a proxy in front of a node answers with text, the REST service with its JSON error body. */
function tooMany(path: string, headers: Readonly<Record<string, string>> = {}): Answer {
  if (!isServicePath(path)) return textAnswer(429, 'too many requests', headers)
  const body = { message: 'Rate limit exceeded', statusCode: 429, error: 'Too Many Requests' }
  const answer = jsonAnswer(429, [JSON.stringify(body)])
  return { ...answer, headers: { ...answer.headers, ...headers } }
}
