import type { Connection } from '../define/connection.ts'
import { TransportError } from '../errors.ts'
import { parseLosslessJson } from '../lib/text/json.ts'
import { fieldOf } from './field-of.ts'

/** `reason`: what is wrong, or why the node does not report its health; empty if the node is healthy. */
type NodeHealth = { readonly healthy: boolean; readonly reason: string }

const longestReason = 300

/**
 * The health that a node reports (GET /ext/health: 200 healthy, 503 unhealthy with the checks in the body). A node that does not report its
 * health, such as a public one, does not count as unhealthy. Throws only when `signal` is aborted.
 */
export async function readHealth(connection: Connection, signal?: AbortSignal): Promise<NodeHealth> {
  try {
    const { status, body } = await connection.request({
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
    return { healthy: true, reason: `The node does not report its health: ${error.message}` }
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
    // Releases of 2021 return an object with a message, later ones a text.
    const words = typeof error === 'string' ? error : (fieldOf(error, 'message') ?? JSON.stringify(error))
    return [`${name}: ${String(words)}`]
  })
  return { healthy: false, reason: short(failing.join('; ')) || 'no check is named' }
}

function short(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > longestReason ? `${line.slice(0, longestReason)}…` : line
}
