import type { Pool } from 'undici'
import type { Answer } from '../define/connection.ts'
import { TransportError } from '../errors.ts'
import type { BufferPool } from '../lib/buffer-pool.ts'
import type { Deadlines } from './deadlines.ts'
import { connectionFailure, type RequestedUrl, tooSlow } from './failures.ts'
import { withParser } from './parser-effort.ts'
import { createBody, decompress } from './read-body.ts'

export type Attempt = {
  readonly method: 'GET' | 'POST'
  /** Includes the prefix and query of the base URL. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | null
  /** Each limits the time until the whole answer has arrived. */
  readonly deadlines: Deadlines
  /** Size limit of the body, in bytes, compressed and not. */
  readonly maxBytes: number
  /** Where the memory of the body comes from. */
  readonly buffers: BufferPool
  readonly signal: AbortSignal
}

/** Sends a request once and reads the whole answer, whatever its status. Throws the signal's reason when it is aborted. */
export async function attempt(pool: Pool, options: Attempt, requested: RequestedUrl): Promise<Answer> {
  options.signal.throwIfAborted()
  try {
    const answer = await withParser(() => exchange(pool, options, requested))
    const encoding = answer.headers['content-encoding']
    return encoding === undefined ? answer : await decompressed(answer, encoding, options, requested)
  } catch (error) {
    options.signal.throwIfAborted()
    throw connectionFailure(error, requested)
  }
}

/** Sends a request and returns the answer; its body may still be compressed. `dispatch` costs half of what `request` with its stream does. */
function exchange(pool: Pool, options: Attempt, requested: RequestedUrl): Promise<Answer> {
  const { method, path, headers, body: sent, signal, deadlines } = options
  const body = createBody(options, requested)
  return new Promise((resolve, reject) => {
    let head = { status: 0, headers: {} }
    let abort: ((reason: Error) => void) | null = null
    let failure: Error | null = null
    let isSettled = false
    const onAbort = () => fail(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    const endDeadline = deadlines.start((milliseconds) => fail(tooSlow(milliseconds, requested)))

    function settle(): void {
      isSettled = true
      endDeadline()
      signal.removeEventListener('abort', onAbort)
    }

    function fail(error: Error): void {
      if (isSettled) return
      failure = error
      settle()
      body.drop()
      reject(error)
      abort?.(error)
    }

    function unlessSettled(action: () => void): void {
      if (isSettled) return
      try {
        action()
      } catch (error) {
        fail(error as Error)
      }
    }

    pool.dispatch(
      { method, path, headers, body: sent },
      {
        onRequestStart(controller) {
          if (failure !== null) controller.abort(failure)
          abort = (reason) => controller.abort(reason)
        },
        onResponseStart(_, status, given) {
          head = { status, headers: flat(given) }
          unlessSettled(() => body.expect(Number(given['content-length'] ?? 0)))
        },
        onResponseData: (_, chunk) => unlessSettled(() => body.add(chunk)),
        onResponseEnd() {
          if (isSettled) return
          settle()
          resolve({ ...head, body: body.bytes() })
        },
        onResponseError: (_, error) => fail(error),
      },
    )
  })
}

/** A copy of an answer that owns the memory of its body. */
export function ownedAnswer(answer: Answer): Answer {
  return { ...answer, body: Buffer.from(answer.body) }
}

async function decompressed(
  answer: Answer,
  encoding: string,
  options: Attempt,
  requested: RequestedUrl,
): Promise<Answer> {
  try {
    return { ...answer, body: await decompress(answer.body, encoding, options, requested) }
  } catch (error) {
    // The status of a refusal is enough, even if a proxy in front of the service damaged the body.
    if (answer.status >= 400 && isIllegible(error)) return { ...answer, body: Buffer.alloc(0) }
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
