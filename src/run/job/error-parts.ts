import * as kinds from '../../errors.ts'
import {
  ChainlakeError,
  type ErrorOptions,
  HttpError,
  PostponedError,
  RateLimitError,
  RpcError,
  StreamTakenError,
} from '../../errors.ts'

/** An error as plain data, because class instances cannot be sent between threads. */
export type ErrorParts = {
  /** Name of the class. */
  readonly name: string
  readonly message: string
  readonly stack: string | undefined
  /** The fields of a `ChainlakeError`; null for any other error. */
  readonly known: (Omit<ErrorOptions, 'cause'> & { readonly own: OwnFields }) | null
  /** Code of a system error, such as `ENOSPC`. */
  readonly systemCode: string | undefined
  readonly cause: ErrorParts | undefined
}

/** Fields of some classes only. */
type OwnFields = {
  readonly exitCode: number
  readonly status?: number
  readonly retryAfterMs?: number | undefined
  readonly rpc?: { readonly code: number; readonly answer: string; readonly status: number }
  readonly resumeAt?: Date
  readonly streams?: readonly string[]
}

/** Maximum length of a chain of causes. */
const mostCauses = 4

export function errorParts(error: unknown, causes = mostCauses): ErrorParts {
  const given = error instanceof Error ? error : new Error(String(error))
  const { code } = given as NodeJS.ErrnoException
  return {
    name: given.name,
    message: given.message,
    stack: given.stack,
    known: given instanceof ChainlakeError ? knownParts(given) : null,
    systemCode: given instanceof ChainlakeError || typeof code !== 'string' ? undefined : code,
    cause: given.cause === undefined || causes === 0 ? undefined : errorParts(given.cause, causes - 1),
  }
}

function knownParts(error: ChainlakeError): ErrorParts['known'] {
  const { code, details, hint, retryable, exitCode } = error
  return {
    code,
    details,
    ...(hint === undefined ? {} : { hint }),
    retryable,
    own: {
      exitCode,
      ...(error instanceof HttpError ? { status: error.status } : {}),
      ...(error instanceof RateLimitError ? { retryAfterMs: error.retryAfterMs } : {}),
      ...(error instanceof RpcError
        ? { rpc: { code: error.rpcCode, answer: error.answer, status: error.status } }
        : {}),
      ...(error instanceof PostponedError ? { resumeAt: error.resumeAt } : {}),
      ...(error instanceof StreamTakenError ? { streams: error.streams } : {}),
    },
  }
}

type SimpleKind = new (message: string, options?: ErrorOptions) => ChainlakeError

/** Restores an error, with its class if that is one of chainlake. */
export function revivedError(parts: ErrorParts): Error {
  const cause = parts.cause === undefined ? {} : { cause: revivedError(parts.cause) }
  const error = parts.known === null ? new Error(parts.message, cause) : knownError(parts, parts.known, cause)
  if (parts.known === null) error.name = parts.name
  if (parts.systemCode !== undefined) Object.assign(error, { code: parts.systemCode })
  if (parts.stack !== undefined) error.stack = parts.stack
  return error
}

function knownError(
  { name, message }: ErrorParts,
  { own, ...rest }: NonNullable<ErrorParts['known']>,
  cause: { readonly cause?: Error },
): ChainlakeError {
  const options: ErrorOptions = { ...rest, ...cause }
  if (own.status !== undefined) return new HttpError(message, own.status, options)
  if ('retryAfterMs' in own) return new RateLimitError(message, own.retryAfterMs, options)
  if (own.rpc !== undefined) return new RpcError(message, own.rpc, options)
  if (own.resumeAt !== undefined) return new PostponedError(message, own.resumeAt, options)
  if (own.streams !== undefined) return new StreamTakenError(message, own.streams, options)
  const Kind = (kinds as unknown as Record<string, SimpleKind | undefined>)[name]
  if (Kind === undefined || name === 'ChainlakeError')
    return new ChainlakeError(message, own.exitCode, rest.code ?? 'unexpected', options)
  return new Kind(message, options)
}
