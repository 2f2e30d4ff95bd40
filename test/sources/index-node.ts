import { createHash } from 'node:crypto'
import { plainContainerId } from '../../codec/containers.ts'
import { type LocalServer, type Received, type Reply, startServer } from '../fetch/local-server.ts'

/** A container in the JSON form of the index API. */
export type Written = { id: string; bytes: string; timestamp: string; encoding: string; index: string }

/** The container with these bytes in an index `X/tx`. */
export function written(index: number, bytes: Buffer): Written {
  const checksum = createHash('sha256').update(bytes).digest().subarray(28)
  return {
    id: plainContainerId(bytes),
    bytes: `0x${bytes.toString('hex')}${checksum.toString('hex')}`,
    timestamp: `2026-11-21T08:35:18.${String(index).padStart(9, '0')}+01:00`,
    encoding: 'hex',
    index: String(index),
  }
}

export type RangeCall = { readonly startIndex: number; readonly numToFetch: number }

export type IndexNode = LocalServer & {
  /** The requested ranges, in order. */
  ranges(): RangeCall[]
}

/** Replaces an answer; gets the call, the honest containers and the number of earlier range calls. */
export type Interference = (call: RangeCall, honest: Written[], count: number) => Reply | Written[] | undefined

/** Serves an index `X/tx` of `containers`; `interfere` may replace the answers to ranges. */
export async function startIndexNode(containers: readonly Written[], interfere?: Interference): Promise<IndexNode> {
  const requested: RangeCall[] = []
  const answer = ({ path, body }: Received): Reply => {
    const { id, method, params } = JSON.parse(body) as { id: number; method: string; params: Record<string, number> }
    const ok = (result: unknown): Reply => ({ body: JSON.stringify({ jsonrpc: '2.0', result, id }) })
    const fail = (message: string): Reply => ({
      body: JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message, data: null }, id }),
    })
    if (path !== '/ext/index/X/tx') return { status: 404, body: '404 page not found\n' }
    const last = containers.length - 1
    if (last < 0) return fail('no containers have been accepted')
    if (method === 'index.getLastAccepted') return ok(containers[last])
    if (method === 'index.getContainerByIndex') {
      const container = containers[params['index'] ?? -1]
      return container === undefined ? fail(`no container at index ${params['index']}`) : ok(container)
    }
    const { startIndex = 0, numToFetch = 0 } = params
    if (numToFetch < 1 || numToFetch > 1024) return fail(`numToFetch must be in [1,1024] but is ${numToFetch}`)
    const call = { startIndex, numToFetch }
    requested.push(call)
    const honest = containers.slice(startIndex, startIndex + numToFetch)
    const other = interfere?.(call, honest, requested.length - 1)
    if (Array.isArray(other)) return ok({ containers: other })
    if (other !== undefined) return other
    if (startIndex > last) return fail(`start index (${startIndex}) > last accepted index (${last})`)
    return ok({ containers: honest })
  }
  return { ...(await startServer(answer)), ranges: () => requested }
}
