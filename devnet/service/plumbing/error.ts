import { type Answer, jsonAnswer } from '../../http/router.ts'
import type { Dialect } from '../../index/methods.ts'

/** The two hosts of the service; here they share a port. */
export type Host = 'data' | 'metrics'

const names = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  429: 'Too Many Requests',
} as const

type ServiceStatus = keyof typeof names

/** An error response of the service (specification 000, part 7). */
export class ServiceError extends Error {
  readonly status: ServiceStatus
  /** One message for each invalid parameter; a single one for other errors. */
  readonly messages: readonly string[]
  /** True if parameters broke their rules, false for other errors such as a missing resource. */
  readonly validation: boolean
  readonly headers: Readonly<Record<string, string>>

  private constructor(
    status: ServiceStatus,
    messages: readonly string[],
    validation: boolean,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(messages.join(', '))
    this.name = 'ServiceError'
    this.status = status
    this.messages = messages
    this.validation = validation
    this.headers = headers
  }

  /** Status 400: invalid parameters, with one message each. */
  static invalid(messages: readonly string[]): ServiceError {
    return new ServiceError(400, messages, true)
  }

  static of(status: ServiceStatus, message: string, headers: Readonly<Record<string, string>> = {}): ServiceError {
    return new ServiceError(status, [message], false, headers)
  }
}

/**
 * The body `{ message, statusCode, error }`. `message` is a list on the metrics host, and for broken rules in the real service; on the data
 * routes of the specification it is text.
 */
export function errorAnswer(error: ServiceError, host: Host, dialect: Dialect): Answer {
  const asList = host === 'metrics' || (error.validation && dialect === 'node')
  const message = asList ? error.messages : error.message
  const body = JSON.stringify({ message, statusCode: error.status, error: names[error.status] })
  const answer = jsonAnswer(error.status, [body])
  return { ...answer, headers: { ...answer.headers, ...error.headers } }
}
