import { parse, stringify } from 'lossless-json'
import type { Answer } from '../http/answer.ts'
import { contentType, type DevnetRequest } from '../http/request.ts'
import type { Handler } from '../http/router.ts'
import { isRecorded, recordedLines } from './lines.ts'

const callsFile = 'calls.jsonl'

/** A line of `calls.jsonl`; lines without an answer are notes. */
export type RecordedCall = {
  name: string
  request: { method: string; path: string; headers: Record<string, string>; body?: string | null }
  answer?: { status: number; headers: Record<string, string>; body: string }
}

/** The calls of a recording with the node's exact answers. */
export function recordedCalls(folder: string): RecordedCall[] {
  const lines = recordedLines(folder, callsFile) ?? []
  return lines.map((line) => JSON.parse(line) as RecordedCall).filter(({ answer }) => answer !== undefined)
}

/** Whether a recording contains answers of its node to calls, for example the identity of the network. */
export function hasCalls(folder: string): boolean {
  return isRecorded(folder, callsFile)
}

/** Returns recorded answers unchanged except for the request's id; null for all other requests. */
export function replayCalls(folder: string): Handler {
  const answers = new Map<string, Answer>()
  for (const { request, answer } of recordedCalls(folder)) {
    if (answer === undefined) continue
    const key = keyOf(request.method, request.path, request.headers['content-type'] ?? '', request.body ?? '')
    // Node.js chooses the transfer encoding of the response itself.
    const { 'transfer-encoding': _, ...headers } = answer.headers
    const recorded = { status: answer.status, headers, body: [answer.body] }
    if (!answers.has(key.text)) answers.set(key.text, recorded)
  }
  return (request: DevnetRequest) => {
    const key = keyOf(request.method, request.url, contentType(request), request.body.toString('utf8'))
    const answer = answers.get(key.text)
    if (answer === undefined) return null
    return { ...answer, body: answer.body.map((piece) => withId(String(piece), key.id)) }
  }
}

type Key = { readonly text: string; readonly id: string | null }

/** The key that identifies equal requests. It ignores the id of a call and treats missing parameters as empty ones. */
function keyOf(method: string, url: string, type: string, body: string): Key {
  const kind = type.split(';')[0]?.trim() === 'application/json' || type === '' ? '' : type
  const plain = { text: `${method} ${url} ${kind} ${body}`, id: null }
  try {
    const call = parse(body)
    if (typeof call !== 'object' || call === null || Array.isArray(call)) return plain
    const { jsonrpc, id, method: name, params } = call as Record<string, unknown>
    if (id === undefined || id === null || name === undefined) return plain
    const parameters = isEmpty(params)
      ? ''
      : stringify(Array.isArray(params) && params.length === 1 && isObject(params[0]) ? params[0] : params)
    return { text: `${method} ${url} ${kind} ${jsonrpc} ${name} ${parameters}`, id: stringify(id) ?? null }
  } catch {
    return plain
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && value.constructor === Object
}

function isEmpty(params: unknown): boolean {
  if (params === undefined || params === null) return true
  return typeof params === 'object' && Object.keys(params).length === 0
}

/**
 * Replaces the id of a recorded answer. Recorded calls have the id 1: it is last in an answer of the node's own server, and second in one
 * of the EVM's server.
 */
export function withId(body: string, id: string | null): string {
  if (id === null || id === '1') return body
  const first = '{"jsonrpc":"2.0","id":1,'
  if (body.startsWith(first)) return `{"jsonrpc":"2.0","id":${id},${body.slice(first.length)}`
  return body.replace(/,"id":1\}(\n?)$/, (_, end: string) => `,"id":${id}}${end}`)
}
