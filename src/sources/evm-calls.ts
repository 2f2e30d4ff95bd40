import type { Connection } from '../define/connection.ts'
import { RpcError } from '../errors.ts'
import { type CallOptions, callRpc, callRpcBatch, type RpcCall, type RpcOutcome } from '../fetch/json-rpc.ts'
import { chunksOf } from '../lib/chunks.ts'
import { parseExactJson } from '../lib/text/json.ts'
import { adaptWindows, askEach, patienceOfNodes } from './window-size.ts'

/** Public nodes accept no longer batches. */
export const mostCalls = 40

type Outcomes = {
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
  /** Limits each answer to more than one call. */
  readonly maxBytes?: number
  /** How often a request is sent at most. Default: that of the connection. */
  readonly tries?: number | undefined
  /** Number of calls that belong together: they stay in one batch where the server takes so many. Default 1. */
  readonly together?: number
  /** Whether fewer calls are requested at once after a refusal. False for callers that then request less themselves. Default true. */
  readonly cut?: boolean
}

/** Calls to the JSON-RPC of an EVM chain, in batches that the server accepts. */
export function createEvmCalls(connection: Connection, route: string): EvmCalls {
  const size = adaptWindows({
    first: mostCalls,
    largest: mostCalls,
    good: Number.POSITIVE_INFINITY,
    growth: 2,
    patience: patienceOfNodes,
  })

  return {
    async ask(calls, { signal, maxBytes, tries: usualTries, together = 1, cut = true } = {}) {
      let length = 0
      const send = async (some: readonly RpcCall[], tries = usualTries): Promise<readonly RpcOutcome[]> => {
        const options: CallOptions = {
          ...(signal === undefined ? {} : { signal }),
          ...(tries === undefined ? {} : { tries }),
          ...(maxBytes === undefined || some.length === 1 ? {} : { maxBytes }),
          parse: (text) => {
            length += text.length
            return parseExactJson(text)
          },
        }
        const outcomes = await sendCalls(some, options)
        size.answered(some.length, 0)
        return outcomes
      }
      const most = size.current()
      const chunks = chunksOf(calls, most > together ? most - (most % together) : most)
      const answers = await Promise.all(
        chunks.map((units) => (cut ? askEach({ units, size, send, refusalIn, together }) : send(units))),
      )
      return { outcomes: answers.flat(), size: length }
    },
  }

  async function sendCalls(calls: readonly RpcCall[], options: CallOptions): Promise<readonly RpcOutcome[]> {
    const [first] = calls
    if (calls.length !== 1 || first === undefined) return await callRpcBatch(connection, route, calls, options)
    return [await outcomeOf(callRpc(connection, route, first.method, first.params, options))]
  }
}

function refusalIn(outcome: RpcOutcome): RpcError | null {
  return 'error' in outcome ? outcome.error : null
}

async function outcomeOf(call: Promise<unknown>): Promise<RpcOutcome> {
  try {
    return { result: await call }
  } catch (error) {
    if (error instanceof RpcError && !error.retryable) return { error }
    throw error
  }
}
