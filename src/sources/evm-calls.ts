import type { Connection } from '../define/connection.ts'
import { HttpError, RpcError } from '../errors.ts'
import { callRpc, callRpcBatch, type RpcCall, type RpcOutcome } from '../fetch/json-rpc.ts'
import { chunksOf } from '../lib/chunks.ts'
import { parseExactJson } from '../lib/text/json.ts'

/** Public nodes accept no longer batches. */
export const mostCalls = 40

export type Outcomes = {
  /** The outcome of each call, in order. */
  readonly outcomes: readonly RpcOutcome[]
  /** Length of the answers in characters. */
  readonly size: number
}

export type EvmCalls = {
  /** Sends all calls, in batches if the path accepts them. Throws `HttpError`, `RpcError` and `TransportError` of whole requests. */
  ask(calls: readonly RpcCall[], options?: AskOptions): Promise<Outcomes>
}

export type AskOptions = {
  readonly signal?: AbortSignal | undefined
  /** Limits each answer. */
  readonly maxBytes?: number
  /** How often a request is sent at most. Default: that of the connection. */
  readonly tries?: number
}

/** Calls to the JSON-RPC of an EVM chain. A refused batch is halved, and later batches are no longer than the last accepted one. */
export function createEvmCalls(connection: Connection, route: string): EvmCalls {
  let longest = mostCalls

  const ask: EvmCalls['ask'] = async (calls, options = {}) => {
    const answers = await Promise.all(chunksOf(calls, longest).map((chunk) => askAtOnce(chunk, options)))
    return {
      outcomes: answers.flatMap(({ outcomes }) => outcomes),
      size: answers.reduce((sum, { size }) => sum + size, 0),
    }
  }

  async function askAtOnce(calls: readonly RpcCall[], { signal, ...limits }: AskOptions): Promise<Outcomes> {
    let size = 0
    const options = {
      ...limits,
      ...(signal === undefined ? {} : { signal }),
      parse: (text: string) => {
        size = text.length
        return parseExactJson(text)
      },
    }
    const [first] = calls
    if (calls.length === 1 && first !== undefined) {
      const outcome = await outcomeOf(callRpc(connection, route, first.method, first.params, options))
      return { outcomes: [outcome], size }
    }
    try {
      return { outcomes: await callRpcBatch(connection, route, calls, options), size }
    } catch (error) {
      if (!isRefusedBatch(error)) throw error
      longest = Math.min(longest, Math.ceil(calls.length / 2))
      return await ask(calls, { signal, ...limits })
    }
  }

  return { ask }
}

async function outcomeOf(call: Promise<unknown>): Promise<RpcOutcome> {
  try {
    return { result: await call }
  } catch (error) {
    if (error instanceof RpcError && !error.retryable) return { error }
    throw error
  }
}

/** An error for the batch as a whole. Servers without batches answer with a parse error, gateways with status 400. */
function isRefusedBatch(error: unknown): boolean {
  if (error instanceof RpcError) return !error.retryable
  return error instanceof HttpError && [400, 405, 415, 422, 501].includes(error.status)
}
