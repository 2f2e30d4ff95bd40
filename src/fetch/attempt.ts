import type { Readable } from 'node:stream'
import type { Pool } from 'undici'
import type { Answer } from '../define/connection.ts'
import { TransportError } from '../errors.ts'
import type { BufferPool } from '../lib/buffer-pool.ts'
import { connectionFailure, type RequestedUrl, tooLarge, tooSlow } from './failures.ts'
import { withParser } from './parser-effort.ts'
import { readBody } from './read-body.ts'

export type Attempt = {
  readonly method: 'GET' | 'POST'
  /** Includes the prefix and query of the base URL. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | null
  readonly totalMs: number
  /** Size limit of the decompressed body. */
  readonly maxBytes: number
  /** Where the memory of the body comes from. */
  readonly buffers: BufferPool
  readonly signal: AbortSignal
}

/** Sends a request once and reads the whole answer, whatever its status. Throws the signal's reason when it is aborted. */
export async function attempt(pool: Pool, options: Attempt, requested: RequestedUrl): Promise<Answer> {
  const { signal, totalMs } = options
  signal.throwIfAborted()
  const cancel = new AbortController()
  const onAbort = () => cancel.abort(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  const timer = setTimeout(() => cancel.abort(tooSlow(totalMs, requested)), totalMs)
  try {
    const { statusCode, headers, body } = await withParser(() =>
      pool.request({
        method: options.method,
        path: options.path,
        headers: options.headers,
        body: options.body,
        signal: cancel.signal,
      }),
    )
    const answer = { status: statusCode, headers: flat(headers) }
    return { ...answer, body: await bodyOf(answer, body, options, requested) }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (cancel.signal.aborted) throw cancel.signal.reason
    throw connectionFailure(error, requested)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}

/** A copy of an answer that owns the memory of its body. */
export function ownedAnswer(answer: Answer): Answer {
  return { ...answer, body: Buffer.from(answer.body) }
}

async function bodyOf(
  { status, headers }: Pick<Answer, 'status' | 'headers'>,
  body: Readable,
  { maxBytes, buffers }: Attempt,
  requested: RequestedUrl,
): Promise<Buffer<ArrayBuffer>> {
  try {
    if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes, requested)
    return await readBody(body, { encoding: headers['content-encoding'], maxBytes, buffers }, requested)
  } catch (error) {
    // Otherwise undici would still read the rest of the answer.
    body.on('error', () => undefined).destroy()
    // The status of a refusal is enough, even if a proxy in front of the service damaged the body.
    if (status >= 400 && isIllegible(error)) return Buffer.alloc(0)
    throw error
  }
}

function isIllegible(error: unknown): boolean {
  return error instanceof TransportError && ['transport.unreadable', 'transport.encoding'].includes(error.code)
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const result: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) result[name] = typeof value === 'string' ? value : value.join(', ')
  return result
}
