import { type ErrorFacts, HttpError, RpcError, TransportError } from '../errors.ts'

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
