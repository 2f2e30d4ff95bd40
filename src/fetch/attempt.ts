import type { Pool } from 'undici'
import { type Asked, connectionFailure, tooLarge, tooSlow } from './failures.ts'

export type Answer = {
  readonly status: number
  /** Names in lower case; of a repeated header the values joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export type Attempt = {
  readonly method: 'GET' | 'POST'
  /** With the prefix and query of the base URL. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | null
  readonly totalMs: number
  readonly maxBytes: number
  readonly signal: AbortSignal
}

/** Asks once and reads the whole answer, whatever its status. Throws the signal's reason when it is aborted. */
export async function attempt(pool: Pool, options: Attempt, asked: Asked): Promise<Answer> {
  const { signal, totalMs, maxBytes } = options
  signal.throwIfAborted()
  const cancel = new AbortController()
  const onAbort = () => cancel.abort(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  const timer = setTimeout(() => cancel.abort(tooSlow(totalMs, asked)), totalMs)
  try {
    const { statusCode, headers, body } = await pool.request({
      method: options.method,
      path: options.path,
      headers: options.headers,
      body: options.body,
      signal: cancel.signal,
    })
    const announced = Number(headers['content-length'] ?? 0)
    const chunks: Buffer[] = []
    let length = 0
    try {
      if (announced > maxBytes) throw tooLarge(maxBytes, asked)
      for await (const chunk of body as AsyncIterable<Buffer>) {
        length += chunk.length
        if (length > maxBytes) throw tooLarge(maxBytes, asked)
        chunks.push(chunk)
      }
    } catch (error) {
      // Without this the rest of an answer that is not wanted would still be read.
      body.on('error', () => undefined).destroy()
      throw error
    }
    return { status: statusCode, headers: flat(headers), body: Buffer.concat(chunks, length) }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (cancel.signal.aborted) throw cancel.signal.reason
    throw connectionFailure(error, asked)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const result: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) result[name] = typeof value === 'string' ? value : value.join(', ')
  return result
}
