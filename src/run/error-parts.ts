import * as classes from '../errors.ts'
import { ChainlakeError, errorKind, PostponedError, TransportError } from '../errors.ts'
import { pause } from '../lib/wait.ts'

/** An error as plain data, because class instances cannot be sent between threads. */
export type ErrorParts = {
  readonly name: string
  readonly message: string
  readonly stack: string | undefined
  /** The fields of a `ChainlakeError`; of a system error its code, such as `ENOSPC`. */
  readonly fields: Readonly<Record<string, unknown>>
  readonly cause: ErrorParts | undefined
}

const mostCauses = 4

export function errorParts(error: unknown, causes = mostCauses): ErrorParts {
  const given = error instanceof Error ? error : new Error(String(error))
  const { name, message, stack } = given
  const { code } = given as NodeJS.ErrnoException
  // An error of a user's module may have functions, which cannot be sent.
  const data = Object.entries(given).filter(([, value]) => typeof value !== 'function')
  return {
    name,
    message,
    stack,
    fields: given instanceof ChainlakeError ? Object.fromEntries(data) : typeof code === 'string' ? { code } : {},
    cause: given.cause === undefined || causes === 0 ? undefined : errorParts(given.cause, causes - 1),
  }
}

/** Restores an error, with its class if that is one of chainlake. */
export function revivedError({ name, message, stack, fields, cause }: ErrorParts): Error {
  const error = new Error(message, cause === undefined ? {} : { cause: revivedError(cause) })
  const Class = (classes as unknown as Readonly<Record<string, typeof Error | undefined>>)[name]
  // A class of a user's module is unknown here.
  const prototype = 'exitCode' in fields ? (Class ?? ChainlakeError).prototype : Error.prototype
  return Object.assign(Object.setPrototypeOf(error, prototype), { name }, stack === undefined ? {} : { stack }, fields)
}

export function isStop(error: unknown, stop: AbortSignal): boolean {
  return stop.aborted && error === stop.reason
}

/** Whether work ended because of `stop`, also while it waited for the catalog, which another process holds. */
export function gaveUp(error: unknown, stop: AbortSignal): boolean {
  return isStop(error, stop) || (stop.aborted && errorKind(error) === 'held')
}

/** Whether an error is a failure of the source, temporary or not. Kinds do not say this: the lake also fails for a moment. */
export function isOfSource(error: unknown): boolean {
  return error instanceof TransportError || error instanceof PostponedError
}

/** Waits. Returns at once, without an error, when `stop` is aborted. */
export async function waitUnlessStopped(milliseconds: number, stop: AbortSignal): Promise<void> {
  await pause(milliseconds, stop).catch((error: unknown) => {
    if (!stop.aborted) throw error
  })
}

/** Another run has covered a part of the slices in the meantime: the stream resumes from the last commit. */
export const slicesTaken = Symbol('slices taken')
