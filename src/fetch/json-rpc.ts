import type { Connection } from '../define/connection.ts'
import { RpcError, TransportError } from '../errors.ts'
import { parseExactJson } from '../lib/text/json.ts'
import { utf8Text } from '../lib/text/utf8.ts'

export type CallOptions = {
  readonly signal?: AbortSignal
  /** Parses the text of an answer. Default: a parser that returns integers beyond 2^53 as `bigint`. */
  readonly parse?: (text: string) => unknown
  readonly tries?: number
  /** Size limit of the answer, in bytes. */
  readonly maxBytes?: number
}

/** "Limit exceeded": the one error code that invites a retry, except when the limit is the size of the answer. */
const limitExceeded = -32005
const sizeLimit = /more than|too many results|response size|range/i

let lastId = 0

/**
 * Calls a JSON-RPC 2.0 method by POST and returns its result, which may be null. Throws `RpcError` for an error object. Retries if the
 * answer is not JSON, belongs to another request, or holds neither a result nor an error.
 */
export function callRpc(
  connection: Connection,
  path: string,
  method: string,
  params: object,
  options: CallOptions = {},
): Promise<unknown> {
  const { parse = parseExactJson, ...rest } = options
  lastId = (lastId % 1_000_000_000) + 1
  const id = lastId
  return connection.request({
    ...rest,
    method: 'POST',
    path,
    label: method,
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
    parse: (answer) => resultOf(parse(utf8Text(answer.body)), { id, method, path, redact: connection.redact }),
  })
}

export type RpcCall = { readonly method: string; readonly params: readonly unknown[] }

/** The outcome of one call of a batch. */
export type RpcOutcome = { readonly result: unknown } | { readonly error: RpcError }

/**
 * Sends calls as one JSON-RPC 2.0 batch and returns the outcome of each, in the order of the calls. Throws `RpcError` when the server
 * answers the whole batch with one error: it takes no batches, or none of this length. Retries the batch if the answer to a call is
 * missing or not the only one, or if a call was throttled.
 */
export function callRpcBatch(
  connection: Connection,
  path: string,
  calls: readonly RpcCall[],
  options: CallOptions = {},
): Promise<RpcOutcome[]> {
  const { parse = parseExactJson, ...rest } = options
  const { redact } = connection
  const first = lastId >= 1_000_000_000 - calls.length ? 1 : lastId + 1
  lastId = first + calls.length - 1
  const method = `${[...new Set(calls.map((call) => call.method))].join(', ')} (batch of ${calls.length})`
  return connection.request({
    ...rest,
    method: 'POST',
    path,
    label: method,
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(calls.map((call, at) => ({ jsonrpc: '2.0', id: first + at, ...call }))),
    parse: (answer) => {
      const answers = parse(utf8Text(answer.body))
      // Some servers put the single error into a list.
      const only: unknown = Array.isArray(answers) && calls.length > 1 && answers.length === 1 ? answers[0] : answers
      if (isObject(only) && isPresent(only['error'])) throw rpcError(only['error'], { method, path, redact })
      if (!Array.isArray(answers)) throw malformed('is not a list', { method, path, redact })
      const byId = answersById(answers, { method, path, redact })
      return calls.map((call, at) =>
        outcomeOf(byId.get(first + at), { id: first + at, method: call.method, path, redact }),
      )
    },
  })
}

/** What errors say about a call. */
type SentCall = Pick<RpcCall, 'method'> & { readonly path: string; readonly redact: Connection['redact'] }

/** The answers of a batch by id. Nothing says which of two answers with one id is the right one. */
function answersById(answers: readonly unknown[], call: SentCall): Map<unknown, unknown> {
  const byId = new Map<unknown, unknown>()
  for (const each of answers) {
    const id = isObject(each) ? (each['id'] ?? null) : null
    if (id !== null && byId.has(id)) throw malformed('has two answers with the same id', call)
    byId.set(id, each)
  }
  return byId
}

function outcomeOf(answer: unknown, call: SentCall & { readonly id: number }): RpcOutcome {
  if (answer === undefined) throw malformed('is missing in the answer to a batch', call)
  try {
    return { result: resultOf(answer, call) }
  } catch (error) {
    if (error instanceof RpcError && !error.retryable) return { error }
    throw error
  }
}

function resultOf(answer: unknown, call: SentCall & { readonly id: number }): unknown {
  if (!isObject(answer)) throw malformed('is not an object', call)
  if (isPresent(answer['error'])) throw rpcError(answer['error'], call)
  if (answer['id'] !== call.id) throw malformed('belongs to another request', call)
  if (!('result' in answer)) throw malformed('holds neither result nor error', call)
  return answer['result']
}

function rpcError(error: unknown, call: SentCall): RpcError {
  const { code: given, message, data } = isObject(error) ? error : { code: 0, message: error, data: null }
  const code = typeof given === 'number' ? given : 0
  const { redact = (text) => text } = call
  const text = typeof message === 'string' ? redact(message) : 'no message'
  return new RpcError(
    `${call.method} failed: ${text}`,
    { code, answer: text, data },
    {
      details: { path: pathOf(call), 'error code': code, 'error message': text },
      retryable: code === limitExceeded && !sizeLimit.test(text),
    },
  )
}

function malformed(what: string, call: SentCall): TransportError {
  return new TransportError(`The answer to ${call.method} ${what}.`, {
    code: 'transport.unreadable',
    details: { path: pathOf(call) },
  })
}

/** Undefined if the base URL is the whole address. */
function pathOf({ path }: SentCall): string | undefined {
  return path === '' ? undefined : path
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
