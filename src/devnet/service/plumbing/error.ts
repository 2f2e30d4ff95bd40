import { type Answer, jsonAnswer } from '../../http/answer.ts'
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

export type ServiceStatus = keyof typeof names

/** An answer of the service that says what is wrong (specification 000, part 7). */
export class ServiceError extends Error {
  readonly status: ServiceStatus
  /** What is wrong with each parameter; a single one for other errors. */
  readonly messages: readonly string[]
  /** Whether the parameters broke their rules, rather than that something is not there. */
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

  /** 400: parameters that break their rules, one message each. */
  static invalid(messages: readonly string[]): ServiceError {
    return new ServiceError(400, messages, true)
  }

  static of(status: ServiceStatus, message: string, headers: Readonly<Record<string, string>> = {}): ServiceError {
    return new ServiceError(status, [message], false, headers)
  }
}

/**
 * The body `{ message, statusCode, error }`. `message` is a list on the metrics host and for broken rules as the real service
 * has it; on the data routes of the specification it is a text.
 */
export function errorAnswer(error: ServiceError, host: Host, dialect: Dialect): Answer {
  const asList = host === 'metrics' || (error.validation && dialect === 'node')
  const message = asList ? error.messages : error.message
  const body = JSON.stringify({ message, statusCode: error.status, error: names[error.status] })
  const answer = jsonAnswer(error.status, [body])
  return { ...answer, headers: { ...answer.headers, ...error.headers } }
}
