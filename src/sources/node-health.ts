import { TransportError } from '../errors.ts'
import type { Transport } from '../fetch/transport.ts'
import { parseLosslessJson } from '../lib/text/json.ts'
import { fieldOf } from './field-of.ts'

/** `reason`: what is wrong, or why the node does not say; empty when it calls itself healthy. */
export type NodeHealth = { readonly healthy: boolean; readonly reason: string }

const longestReason = 300

/**
 * What a node says of its own health (GET /ext/health: 200 healthy, 503 unhealthy with the checks in the body). A node
 * that does not say, as public ones do not, is not called unhealthy. Throws only when `signal` is aborted.
 */
export async function readHealth(transport: Transport, signal?: AbortSignal): Promise<NodeHealth> {
  try {
    const { status, body } = await transport.request({
      method: 'GET',
      path: '/ext/health',
      label: 'health',
      tries: 2,
      accept: (code) => code === 200 || code === 503,
      ...(signal === undefined ? {} : { signal }),
    })
    return readAnswer(status, body.toString())
  } catch (error) {
    if (!(error instanceof TransportError) || signal?.aborted) throw error
    return { healthy: true, reason: `The node does not say: ${error.message}` }
  }
}

function readAnswer(status: number, text: string): NodeHealth {
  let answer: unknown
  try {
    answer = parseLosslessJson(text)
  } catch {
    return { healthy: status === 200, reason: status === 200 ? '' : short(text) }
  }
  if (fieldOf(answer, 'healthy') === true) return { healthy: true, reason: '' }
  const failing = Object.entries(fieldOf(answer, 'checks') ?? {}).flatMap(([name, check]) => {
    const error = fieldOf(check, 'error')
    if (error === undefined || error === null) return []
    // Releases of 2021 gave an object with a message, later ones the text.
    const words = typeof error === 'string' ? error : (fieldOf(error, 'message') ?? JSON.stringify(error))
    return [`${name}: ${String(words)}`]
  })
  return { healthy: false, reason: short(failing.join('; ')) || 'no check is named' }
}

function short(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > longestReason ? `${line.slice(0, longestReason)}…` : line
}
