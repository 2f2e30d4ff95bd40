import type { Answer, Connection, ConnectionRequest } from '../define/connection.ts'
import { RateLimitError, RpcError, TransportError } from '../errors.ts'
import { isObject, parseExactJson } from '../lib/json.ts'
import { utf8Text } from '../lib/text.ts'
import { retryAfterMs, saidWaitMs } from './waits.ts'

export type CallOptions = Pick<ConnectionRequest, 'signal' | 'tries' | 'maxBytes'> & {
  /** Parses the text of an answer. Default: a parser that returns integers beyond 2^53 as `bigint`. */
  readonly parse?: (text: string) => unknown
}

let lastId = 0

/**
 * Calls a JSON-RPC 2.0 method by POST and returns its result, which may be null. Throws `RpcError` for an error object, whatever the status.
 * Retries if the answer is not JSON, belongs to another request, or holds neither a result nor an error, and while calls are throttled.
 */
export async function callRpc(
  connection: Connection,
  path: string,
  method: string,
  params: object,
  options: CallOptions = {},
): Promise<unknown> {
  const [outcome] = await callRpcBatch(connection, path, [{ method, params }], options)
  if ('error' in outcome!) throw outcome.error
  return outcome!.result
}

/**
 * Reads an answer without success that JSON-RPC explains: null if it is not JSON or holds no error object. The status alone says that
 * credentials are missing (401) or something is to be paid (402).
 */
function refusalReader<T>(parse: (text: string) => unknown, read: (answers: unknown, answer: Answer) => T) {
  return (answer: Answer): { readonly result: T } | null => {
    if (answer.status === 401 || answer.status === 402) return null
    let answers: unknown
    try {
      answers = parse(utf8Text(answer.body))
    } catch {
      return null
    }
    return [answers].flat().some(isRefusal) ? { result: read(answers, answer) } : null
  }
}

/** Gateways also answer `{"error": "…"}`, which is no error object of JSON-RPC. */
function isRefusal(answer: unknown): boolean {
  if (!isObject(answer) || !isObject(answer['error'])) return false
  return codeOf(answer['error']) !== null || 'jsonrpc' in answer
}

export type RpcCall = { readonly method: string; readonly params: object }

export type RpcOutcome = { readonly result: unknown } | { readonly error: RpcError }

/**
 * Sends calls as one JSON-RPC 2.0 batch, or a single call by itself, and returns the outcome of each, in the order of the calls. Throws
 * `RpcError` when the server answers the whole batch with one error: it takes no batches, or none of this length. Retries the batch if the
 * answer to a call is missing or not the only one. If calls were throttled, it waits and requests only those again.
 */
export function callRpcBatch(
  connection: Connection,
  path: string,
  calls: readonly RpcCall[],
  options: CallOptions = {},
): Promise<RpcOutcome[]> {
  const { parse = parseExactJson, ...rest } = options
  const { redact } = connection
  const isBatch = calls.length > 1
  const first = lastId >= 1_000_000_000 - calls.length ? 1 : lastId + 1
  lastId = first + calls.length - 1
  const methods = [...new Set(calls.map((call) => call.method))].join(', ')
  const method = isBatch ? `${methods} (batch of ${calls.length})` : methods
  const outcomes = new Map<number, RpcOutcome>()
  let sent = calls.map((call, at) => ({ id: first + at, call }))

  const read = (answers: unknown, answer: Answer): RpcOutcome[] => {
    const whole = { method, path, redact, answer }
    const byId = isBatch ? answersById(answers, sent.length, whole) : new Map([[String(first), unlisted(answers)]])
    const throttled = sent.flatMap((each) => {
      const { id, call } = each
      // Named, because a spread of `whole` for each call is slow.
      const outcome = outcomeOf(byId.get(String(id)), { method: call.method, id, path, redact, answer })
      if ('throttled' in outcome) return [{ ...each, by: outcome.throttled }]
      outcomes.set(each.id, outcome)
      return []
    })
    const [refused] = throttled
    if (refused === undefined) return calls.map((_, at) => outcomes.get(first + at)!)
    const isPartial = throttled.length < sent.length
    sent = throttled
    throw isPartial && refused.by instanceof RateLimitError ? partialRefusal(refused.by) : refused.by
  }
  return connection.request({
    ...rest,
    method: 'POST',
    path,
    label: method,
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: () => {
      const bodies = sent.map(({ call: { method, params }, id }) => ({ jsonrpc: '2.0', id, method, params }))
      return JSON.stringify(isBatch ? bodies : bodies[0])
    },
    parse: (answer) => read(parse(utf8Text(answer.body)), answer),
    parseRefusal: refusalReader(parse, read),
  })
}

/** What errors say about a call. */
type SentCall = Pick<RpcCall, 'method'> & {
  readonly path: string
  readonly redact: Connection['redact']
  readonly answer: Answer
}

/** Some servers put the answer to a single call, or the error of a whole batch, into a list. */
function unlisted(answers: unknown): unknown {
  return Array.isArray(answers) && answers.length === 1 ? answers[0] : answers
}

/** The answers of a batch by id, which some servers return as text. Nothing says which of two answers with one id is the right one. */
function answersById(answers: unknown, sent: number, call: SentCall): Map<string, unknown> {
  const only = sent > 1 ? unlisted(answers) : answers
  if (isObject(only) && isPresent(only['error'])) throw refusalOf(only['error'], call)
  if (!Array.isArray(answers)) throw malformed('is not a list', call)
  const byId = new Map<string, unknown>()
  for (const each of answers) {
    const id = isObject(each) ? (each['id'] ?? null) : null
    if (id === null) continue
    if (byId.has(String(id))) throw malformed('has two answers with the same id', call)
    byId.set(String(id), each)
  }
  return byId
}

/** The outcome of a call of a batch; `throttled`: it is to be requested again. */
function outcomeOf(
  answer: unknown,
  call: SentCall & { readonly id: number },
): RpcOutcome | { readonly throttled: RpcError | RateLimitError } {
  if (answer === undefined) throw malformed('is missing in the answer to a batch', call)
  try {
    return { result: resultOf(answer, call) }
  } catch (error) {
    // What words say about an outage may as well be about this call: the source finds out by requesting it again.
    if (error instanceof RpcError && !error.passes) return { error }
    if (error instanceof RpcError || error instanceof RateLimitError) return { throttled: error }
    throw error
  }
}

function resultOf(answer: unknown, call: SentCall & { readonly id: number }): unknown {
  if (!isObject(answer)) throw malformed('is not an object', call)
  if (isPresent(answer['error'])) throw refusalOf(answer['error'], call)
  if (String(answer['id']) !== String(call.id)) throw malformed('belongs to another request', call)
  if (!('result' in answer)) throw malformed('holds neither result nor error', call)
  return answer['result']
}

function refusalOf(error: unknown, call: SentCall): RpcError | RateLimitError {
  const { message, data = null } = isObject(error) ? error : { message: error }
  const { redact = (text) => text } = call
  const { status, headers } = call.answer
  const code = codeOf(error) ?? 0
  const answer = typeof message === 'string' ? redact(message) : 'no message'
  const said = `${call.method} failed: ${answer}`
  const details = {
    path: pathOf(call),
    ...(status === 200 ? {} : { status }),
    'error code': code,
    'error message': answer,
  }
  if (status === 429 || isRateLimit(code, answer))
    return new RateLimitError(said, retryAfterMs(headers['retry-after'], Date.now()) ?? saidWaitMs([answer, data]), {
      details,
      hint: 'Lower --concurrency, or use a node or key with a higher limit.',
    })
  const passes = code === limitExceeded || isPassing(status, code)
  return new RpcError(said, { code, answer, data, status, passes }, { details })
}

/** The error about the calls that a server did not answer, while it answered others of the same batch. */
function partialRefusal({ message, retryAfterMs, details, hint }: RateLimitError): RateLimitError {
  return new RateLimitError(message, retryAfterMs, { details, hint, isPartial: true })
}

/** "Limit exceeded": a limit of the rate or of the size. Only another try can tell. */
const limitExceeded = -32_005

/** Codes of providers for too many requests: HTTP's own, dRPC's, QuickNode's and a common one. */
const rateLimitCodes: ReadonlySet<number> = new Set([429, 15, -32_007, -32_029])

const rateLimitWords =
  /\brate[- ]?limit|\b(request|call)s? rate\b|\brate (is |was |has been )?(exceeded|exhausted)|too many (concurrent |simultaneous |parallel )?requests?\b(?! in)|requests? limit|throughput|throttl|slow down|\bquota\b|\b(rps|tps|qps)\b|(\bper |\/ ?)(second|sec|minute|min|day|month)\b|\d\/(s|m)\b|try again (later|in|after)|retry (in|after) \d/i

/** Whether an error says that there are too many requests. A call that reverts may use the same words. */
function isRateLimit(code: number, message: string): boolean {
  return rateLimitCodes.has(code) || (code !== 3 && !/revert/i.test(message) && rateLimitWords.test(message))
}

/** Whether the status says that a later try may succeed, and the code does not say that the request is wrong. */
function isPassing(status: number, code: number): boolean {
  if (status === 500) return code === -32_603
  return (status > 500 || status === 408 || status === 425) && ![-32_600, -32_601, -32_602].includes(code)
}

function codeOf(error: unknown): number | null {
  const code = isObject(error) ? error['code'] : null
  if (typeof code === 'number') return code
  return typeof code === 'string' && /^-?\d+$/.test(code) ? Number(code) : null
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
