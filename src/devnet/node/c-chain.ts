import { isLosslessNumber, parse, stringify } from 'lossless-json'
import { jsonAnswer, textAnswer } from '../http/answer.ts'
import { MethodError } from '../http/parameters.ts'
import type { Handler } from '../http/router.ts'
import { type EvmSource, evmMethods } from './evm/methods.ts'

/** Calls of one batch, as the node is set up when nobody says otherwise. */
const mostCalls = 1_000

type Call = { readonly id?: unknown; readonly method?: unknown; readonly params?: unknown }

/** What `/ext/bc/C/rpc` answers: calls and batches of them, with the rules of the EVM's own server. */
export function cChainRpc(source: EvmSource): Handler {
  const methods = evmMethods(source)

  async function one(call: unknown): Promise<string> {
    const { id, method, params } = (isObject(call) ? call : {}) as Call
    if (typeof method !== 'string') return failed(id, -32600, 'invalid request')
    const found = Object.hasOwn(methods, method) ? methods[method] : undefined
    if (found === undefined) return failed(id, -32601, `the method ${method} does not exist/is not available`)
    if (params !== undefined && !Array.isArray(params)) return failed(id, -32602, 'non-array args')
    try {
      const result = await found((params ?? []).map(plain))
      return `${headOf(id)},"result":${JSON.stringify(result)}}`
    } catch (error) {
      if (!(error instanceof MethodError)) throw error
      return failed(id, error.rpcCode, error.message)
    }
  }

  return async ({ method, body }) => {
    if (method !== 'POST') return textAnswer(method === 'GET' ? 200 : 405, '')
    const calls = parseOrNull(body.toString('utf8'))
    if (calls === null) return answerOf(failed(null, -32700, 'parse error'))
    if (!Array.isArray(calls)) return answerOf(await one(calls))
    if (calls.length === 0) return answerOf(failed(null, -32600, 'empty batch'))
    if (calls.length > mostCalls) return answerOf(`[${failed((calls[0] as Call)?.id, -32600, 'batch too large')}]`)
    const answers: string[] = []
    for (const call of calls) answers.push(await one(call))
    return answerOf(`[${answers.join(',')}]`)
  }
}

function answerOf(text: string) {
  return jsonAnswer(200, [`${text}\n`])
}

function headOf(id: unknown): string {
  return `{"jsonrpc":"2.0","id":${stringify(id ?? null)}`
}

function failed(id: unknown, code: number, message: string): string {
  return `${headOf(id)},"error":{"code":${code},"message":${JSON.stringify(message)}}}`
}

/** Numbers stay what no method takes for a text. */
function plain(value: unknown): unknown {
  return isLosslessNumber(value) ? Number(value.toString()) : value
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parseOrNull(text: string): unknown {
  try {
    return parse(text)
  } catch {
    return null
  }
}
