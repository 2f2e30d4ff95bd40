import { parse, stringify } from 'lossless-json'
import { type Answer, jsonAnswer, textAnswer } from './answer.ts'
import { MethodError, type Parameters, readParameters } from './parameters.ts'
import { contentType, type DevnetRequest } from './request.ts'
import type { Handler } from './router.ts'

/** A method returns the JSON text of its result in pieces, or throws a `MethodError`. */
export type RpcMethod = (
  parameters: Parameters,
  request: DevnetRequest,
) => Promise<readonly (string | Buffer)[]> | readonly (string | Buffer)[]

/** Methods by the name that callers write: `service.method`. */
export type RpcMethods = Readonly<Record<string, RpcMethod>>

/**
 * A JSON-RPC 2.0 endpoint with the rules of the node's server: POST only, one call per request, `params` is an object or an array with one
 * object, errors have status 200, and a call without an id gets an empty response. `otherwise` provides the method for names that are not
 * listed; without it, the endpoint refuses them as the node does.
 */
export function rpcEndpoint(methods: RpcMethods, otherwise?: (name: string) => RpcMethod): Handler {
  const services = new Set(Object.keys(methods).map((name) => name.split('.')[0]))
  const find = (name: string): RpcMethod => methods[name] ?? otherwise?.(name) ?? findMethod(methods, services, name)
  return async (request) => {
    const refusal = refuse(request)
    if (refusal !== null) return refusal
    const call = readCall(request.body.toString('utf8'))
    if ('error' in call) return jsonAnswer(200, [call.error])
    const answer = await invoke(find, call, request)
    return call.id === null ? silence : answer
  }
}

function refuse(request: DevnetRequest): Answer | null {
  if (request.method !== 'POST') {
    return textAnswer(405, `rpc: POST method required, received ${request.method}`)
  }
  const type = (contentType(request).split(';')[0] ?? '').trim()
  if (type === '' || type.toLowerCase() === 'application/json') return null
  return textAnswer(415, `rpc: unrecognized Content-Type: ${type}`)
}

/** The response to a call without an id: a status and an empty body. */
const silence: Answer = { status: 200, headers: { vary: 'Origin' }, body: [] }

type Call = { readonly id: string | null; readonly method: string; readonly params: unknown }

/** Reads the call, or returns the error of the node for a body that is not a call. */
function readCall(text: string): Call | { readonly error: string } {
  const nothing = '{"jsonrpc":"","method":"","params":null,"id":null}'
  const parsed = parseJson(text)
  if ('message' in parsed) return { error: errorText(-32700, parsed.message, 'null', nothing) }
  const { value } = parsed
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value.constructor !== Object) {
    const message = `json: cannot unmarshal ${goKind(value)} into Go value of type json2.serverRequest`
    return { error: errorText(-32700, message, 'null', nothing) }
  }
  const fields = new Map(Object.entries(value).map(([name, entry]) => [name.toLowerCase(), entry as unknown]))
  const id = fields.get('id') ?? null
  const idText = id === null ? null : (stringify(id) ?? null)
  const version = fields.get('jsonrpc') ?? ''
  const method = fields.get('method') ?? ''
  const params = fields.get('params') ?? null
  if (version !== '2.0') {
    const data = `{"jsonrpc":${stringify(version)},"method":${stringify(method)},"params":${stringify(params)},"id":${idText}}`
    return { error: errorText(-32600, 'jsonrpc must be 2.0', idText ?? 'null', data) }
  }
  return { id: idText, method: String(method), params }
}

function parseJson(text: string): { value: unknown } | { message: string } {
  try {
    return { value: parse(text, undefined, { onDuplicateKey: ({ newValue }) => newValue }) }
  } catch {
    const trimmed = text.trim()
    if (trimmed === '') return { message: 'EOF' }
    if (/^[{["]/.test(trimmed) && !/[}\]"]$/.test(trimmed)) return { message: 'unexpected EOF' }
    if (trimmed === '{' || trimmed === '[' || trimmed === '"') return { message: 'unexpected EOF' }
    return { message: `invalid character '${trimmed[0]}' looking for beginning of value` }
  }
}

function goKind(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'bool'
  return 'number'
}

async function invoke(find: (name: string) => RpcMethod, call: Call, request: DevnetRequest): Promise<Answer> {
  const id = call.id ?? 'null'
  try {
    const method = find(call.method)
    const result = await method(readParameters(call.params), request)
    return jsonAnswer(200, ['{"jsonrpc":"2.0","result":', ...result, `,"id":${id}}\n`])
  } catch (error) {
    if (!(error instanceof MethodError)) throw error
    return jsonAnswer(200, [errorText(error.rpcCode, error.message, id, 'null')])
  }
}

function findMethod(methods: RpcMethods, services: ReadonlySet<string | undefined>, name: string): RpcMethod {
  const parts = name.split('.')
  const [service = '', method = ''] = parts
  if (parts.length !== 2) throw new MethodError(`rpc: service/method request ill-formed: ${JSON.stringify(name)}`)
  const exported = `${service}.${method.slice(0, 1).toUpperCase()}${method.slice(1)}`
  if (!services.has(service)) throw new MethodError(`rpc: can't find service ${JSON.stringify(exported)}`)
  const found = methods[name] ?? methods[`${service}.${method.slice(0, 1).toLowerCase()}${method.slice(1)}`]
  if (found === undefined) throw new MethodError(`rpc: can't find method ${JSON.stringify(exported)}`)
  return found
}

function errorText(code: number, message: string, id: string, data: string): string {
  return `{"jsonrpc":"2.0","error":{"code":${code},"message":${goString(message)},"data":${data}},"id":${id}}\n`
}

/** A string as the node writes it in JSON text: with `<`, `>` and `&` escaped. */
function goString(text: string): string {
  return JSON.stringify(text).replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`)
}
