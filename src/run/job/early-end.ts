import { PostponedError, TransportError } from '../../errors.ts'

/** Whether an error is the reason of `stop`. */
export function isStop(error: unknown, stop: AbortSignal): boolean {
  return stop.aborted && error === stop.reason
}

/** Whether the complete prefix is kept: the source failed or the run was stopped. An error of decoding drops the unit. */
export function keepsPrefix(error: unknown, stop: AbortSignal): boolean {
  return isOfSource(error) || isStop(error, stop)
}

/** Whether an error is a failure of the source, temporary or not. */
export function isOfSource(error: unknown): boolean {
  return error instanceof TransportError || error instanceof PostponedError
}
