import { HttpError, RpcError, TransportError } from '../errors.ts'

/** Whether an answer is larger than we read, or than something between the node and us lets pass. */
export function isTooLarge(error: unknown): boolean {
  if (error instanceof HttpError) return error.status === 413
  if (error instanceof RpcError) return /too large|size (limit )?exceed|exceeds? .*size/i.test(error.message)
  return error instanceof TransportError && error.code === 'transport.too-large'
}
