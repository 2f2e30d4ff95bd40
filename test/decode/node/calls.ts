import { parseLosslessJson } from '../../../src/lib/json.ts'
import { recordedLines } from '../../recorded.ts'

/** A JSON-RPC call, or a GET with the method `GET`, and what a recorded node answered. */
export type RecordedCall = {
  readonly recording: string
  readonly path: string
  readonly query: URLSearchParams
  readonly method: string
  /** The parameters: an object or a list. */
  readonly params: any
  readonly status: number
  /** The result, or the JSON of a GET; undefined when the node refused. */
  readonly result: any
  readonly refusal: { readonly code: number; readonly message: string } | null
}

const recordings = ['granite', 'helicon', 'live']

/** All calls of the methods (as the node names them) in all recordings, including calls that are wrong on purpose. */
export function recordedCalls(...methods: readonly string[]): RecordedCall[] {
  return recordings.flatMap((recording) =>
    recordedLines(`${recording}/calls`).flatMap((line) => {
      const { request, answer } = JSON.parse(line)
      if (request === undefined) return []
      const { pathname: path, searchParams: query } = new URL(request.path, 'http://node')
      const requested = request.method === 'GET' ? { method: 'GET' } : singleCall(request.body)
      if (requested === null || !methods.includes(requested.method)) return []
      const params = requested.params ?? {}
      const told = answerOf(answer.body)
      const { method } = requested
      const refusal = told?.error ?? null
      const result = method === 'GET' ? told : told?.result
      return [{ recording, path, query, method, params, status: answer.status, result, refusal }]
    }),
  )
}

function singleCall(body: string): { method: string; params?: any } | null {
  try {
    const call = JSON.parse(body)
    return typeof call?.method === 'string' ? call : null
  } catch {
    return null
  }
}

function answerOf(body: string): any {
  try {
    return parseLosslessJson(body)
  } catch {
    return undefined
  }
}
