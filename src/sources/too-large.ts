import { type ErrorFacts, HttpError, RpcError, TimeoutError, TransportError } from '../errors.ts'

/** Whether an answer exceeds our size limit, or that of the node or of a gateway in front of it. */
export function isTooLarge(error: unknown): boolean {
  if (error instanceof HttpError) return error.status === 413
  if (error instanceof RpcError) return /too large|size (limit )?exceed|exceeds? .*size/i.test(error.message)
  return error instanceof TransportError && error.code === 'transport.too-large'
}

const code = 'transport.window'

/** The error of a source when a window holds more than the node returns or than fits in memory: the run requests shorter windows instead. */
export function windowTooLarge(message: string, details: ErrorFacts): TransportError {
  return new TransportError(message, { code, retryable: false, details })
}

export function isWindowTooLarge(error: unknown): boolean {
  return error instanceof TransportError && error.code === code
}

/** Whether the node, or a gateway in front of it, had too little time for the answer. */
export function isTimedOut(error: unknown): boolean {
  if (error instanceof TimeoutError || (error instanceof HttpError && error.status === 504)) return true
  return error instanceof RpcError && /timed? ?out|deadline exceeded/i.test(error.answer)
}

/**
 * Whether a node refuses this many blocks or logs at once. Each provider has its own words for it, and some time out instead.
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
