import { type Answer, textAnswer } from '../http/answer.ts'
import type { FaultKind } from './kinds.ts'

/** The answer of a fault that is met before anything is looked up; null when the fault is of another sort. */
export function interruption(kind: FaultKind, path: string): Answer | null {
  switch (kind) {
    case 'rate-limit':
      return textAnswer(429, 'too many requests')
    case 'rate-limit-seconds':
      return textAnswer(429, 'too many requests', { 'retry-after': '1' })
    case 'rate-limit-date':
      return textAnswer(429, 'too many requests', { 'retry-after': new Date(Date.now() + 2000).toUTCString() })
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
