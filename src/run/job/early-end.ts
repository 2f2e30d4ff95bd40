import { PostponedError, TransportError } from '../../errors.ts'

/** Whether an error is nothing but that the run was told to stop. */
export function isStop(error: unknown, stop: AbortSignal): boolean {
  return stop.aborted && error === stop.reason
}

/** Whether what is whole so far is kept: the source failed or the run was told to stop. What cannot be decoded drops its unit. */
export function keepsWhole(error: unknown, stop: AbortSignal): boolean {
  return isOfSource(error) || isStop(error, stop)
}

/** Whether the source does not give more, for now or at all. */
export function isOfSource(error: unknown): boolean {
  return error instanceof TransportError || error instanceof PostponedError
}
