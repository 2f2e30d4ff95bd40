import { type ErrorFacts, HttpError, RpcError, TimeoutError, TransportError } from '../errors.ts'

/** Whether an answer is larger than we read, or than something between the node and us lets pass. */
export function isTooLarge(error: unknown): boolean {
  if (error instanceof HttpError) return error.status === 413
  if (error instanceof RpcError) return /too large|size (limit )?exceed|exceeds? .*size/i.test(error.message)
  return error instanceof TransportError && error.code === 'transport.too-large'
}

const code = 'transport.window'

/** What a source throws when a window of a range holds more than it gives, or than should be held: shorter ones are asked for instead. */
export function windowTooLarge(message: string, details: ErrorFacts): TransportError {
  return new TransportError(message, { code, retryable: false, details })
}

export function isWindowTooLarge(error: unknown): boolean {
  return error instanceof TransportError && error.code === code
}

/**
 * Whether a node gives no logs of so many blocks, or not so many logs; each provider says it in its own words, and some by not answering in
 * time.
 */
export function isTooManyLogs(error: unknown): boolean {
  if (error instanceof TimeoutError || (error instanceof HttpError && error.status === 504)) return true
  if (!(error instanceof RpcError) || error.retryable) return isTooLarge(error)
  const { answer } = error
  if (/rate|per second|credit|quota|unauthori[sz]ed/i.test(answer)) return false
  return (
    isTooLarge(error) ||
    /(block|range|result|log|quer|response).*(exceed|too (many|large|wide|big|long|much)|more than|max|limit|timed? ?out|up to)/i.test(
      answer,
    ) ||
    /(exceed|too (many|large|wide|big|long|much)|more than|max|limit).*(block|range|result|log|quer|response)/i.test(
      answer,
    )
  )
}
