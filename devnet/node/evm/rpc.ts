import { isLosslessNumber, parse, stringify } from 'lossless-json'
import { MethodError } from '../../http/parameters.ts'
import type { EvmMethods } from './method.ts'

/** The default limit of calls in one batch. */
const mostCalls = 1_000

type Call = { readonly id?: unknown; readonly method?: unknown; readonly params?: unknown }

/** Answers the text of a call or a batch by the rules of the EVM's server. */
export type EvmRpc = (text: string) => Promise<string>

export function createEvmRpc(methods: EvmMethods): EvmRpc {
  return async (text) => {
    const calls = parseOrNull(text)
    if (calls === null) return failed(null, -32700, 'parse error')
    if (!Array.isArray(calls)) return answerCall(methods, calls)
    if (calls.length === 0) return failed(null, -32600, 'empty batch')
    if (calls.length > mostCalls) return `[${failed((calls[0] as Call)?.id, -32600, 'batch too large')}]`
    const answers: string[] = []
    for (const call of calls) answers.push(await answerCall(methods, call))
    return `[${answers.join(',')}]`
  }
}

async function answerCall(methods: EvmMethods, call: unknown): Promise<string> {
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

function headOf(id: unknown): string {
  return `{"jsonrpc":"2.0","id":${stringify(id ?? null)}`
}

function failed(id: unknown, code: number, message: string): string {
  return `${headOf(id)},"error":{"code":${code},"message":${JSON.stringify(message)}}}`
}

/** Converts lossless numbers to plain numbers, also inside lists and objects. */
function plain(value: unknown): unknown {
  if (isLosslessNumber(value)) return Number(value.toString())
  if (Array.isArray(value)) return value.map(plain)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, plain(entry)]))
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
