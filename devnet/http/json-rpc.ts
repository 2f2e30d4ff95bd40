import { isLosslessNumber, parse, stringify } from 'lossless-json'
import { putChecksum } from '../../codec/hash.ts'
import { decodeCb58 } from '../../codec/ids.ts'
import { hexOf } from '../lib.ts'
import { zeroIdText } from '../network/genesis.ts'
import { type Answer, contentType, type DevnetRequest, type Handler, jsonAnswer, textAnswer } from './router.ts'

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

/** An error that a method returns as a JSON-RPC error object. */
export class MethodError extends Error {
  readonly rpcCode: number
  constructor(message: string, rpcCode = -32000) {
    super(message)
    this.name = 'MethodError'
    this.rpcCode = rpcCode
  }
}

/** Arguments of a call by lower-case name, because the node ignores the case of names. */
export type Parameters = ReadonlyMap<string, unknown>

const unreadable =
  "couldn't unmarshal an argument. Ensure arguments are valid and properly formatted. See documentation for example calls"

const maxUint64 = 2n ** 64n - 1n

/** The node accepts an object, an array with an object as its first element, or no parameters. */
function readParameters(value: unknown): Parameters {
  if (value === undefined || value === null) return new Map()
  const holder = Array.isArray(value) ? (value[0] ?? {}) : value
  if (typeof holder !== 'object' || Array.isArray(holder) || isLosslessNumber(holder)) throw unreadableArgument()
  return fieldsOf(holder)
}

function fieldsOf(holder: object): Parameters {
  return new Map(Object.entries(holder).map(([name, entry]) => [name.toLowerCase(), entry]))
}

/** An unsigned 64-bit integer, as number or text. A missing or null argument is 0. */
export function uint64Of(parameters: Parameters, name: string): bigint {
  const value = parameters.get(name)
  if (value === undefined || value === null) return 0n
  const text = typeof value === 'string' ? value : isLosslessNumber(value) ? value.toString() : ''
  if (!/^\d+$/.test(text)) throw unreadableArgument()
  const number = BigInt(text)
  if (number > maxUint64) throw unreadableArgument()
  return number
}

/** An id as CB58 text with a valid checksum. A missing or null argument is the id of 32 zero bytes. */
export function idOf(parameters: Parameters, name: string): string {
  const value = parameters.get(name)
  if (value === undefined || value === null) return zeroIdText
  if (typeof value !== 'string') throw unreadableArgument()
  try {
    if (decodeCb58(value).length === 32) return value
  } catch {
    // falls through: the node returns the same error for every text that is not an id
  }
  throw unreadableArgument()
}

export type Encoding = 'hex' | 'hexc' | 'hexnc' | 'json'

/** The encoding of bytes, in any case. A missing or null argument is `hex`. */
export function encodingOf(parameters: Parameters): Encoding {
  const value = parameters.get('encoding')
  if (value === undefined || value === null) return 'hex'
  const text = typeof value === 'string' ? value.toLowerCase() : ''
  if (text === 'hex' || text === 'hexc' || text === 'hexnc' || text === 'json') return text
  throw unreadableArgument()
}

/** The error of a node for an argument of the wrong type. */
export function unreadableArgument(): MethodError {
  return new MethodError(unreadable)
}

/** A list of texts. A missing or null argument is an empty list. */
export function textsOf(parameters: Parameters, name: string): readonly string[] {
  const value = parameters.get(name)
  if (value === undefined || value === null) return []
  if (!Array.isArray(value) || value.some((each) => typeof each !== 'string')) throw unreadableArgument()
  return value as string[]
}

/** The fields of an object argument. A missing or null argument has no fields. */
export function partsOf(parameters: Parameters, name: string): Parameters {
  const value = parameters.get(name)
  if (value === undefined || value === null) return new Map()
  if (typeof value !== 'object' || Array.isArray(value) || isLosslessNumber(value)) throw unreadableArgument()
  return fieldsOf(value)
}

/** A text argument. A missing or null argument is the empty text. */
export function textOf(parameters: Parameters, name: string): string {
  const value = parameters.get(name)
  if (value === undefined || value === null) return ''
  if (typeof value !== 'string') throw unreadableArgument()
  return value
}

const checksumBytes = 4

/** Bytes as hex with prefix. The hex includes the checksum, unless the encoding is `hexnc`. */
export function encodedBytes(bytes: Uint8Array, encoding: Exclude<Encoding, 'json'> = 'hex'): string {
  const plain = `0x${hexOf(bytes)}`
  if (encoding === 'hexnc') return plain
  const checksum = new Uint8Array(checksumBytes)
  putChecksum(bytes, checksum, 0)
  return plain + hexOf(checksum)
}

/**
 * Decodes prefixed hex and checks its checksum, if the encoding has one. Returns the node's error text as `mistake` if the text is invalid.
 */
export function decodedBytes(text: string, encoding: Encoding): { bytes: Uint8Array } | { mistake: string } {
  if (encoding === 'json') return { mistake: 'unsupported encoding in method' }
  if (!text.startsWith('0x')) return { mistake: 'missing 0x prefix to hex encoding' }
  if (!/^0x([0-9a-f]{2})*$/i.test(text)) return { mistake: 'encoding/hex: invalid byte' }
  const whole = Buffer.from(text.slice(2), 'hex')
  if (encoding === 'hexnc') return { bytes: whole }
  if (whole.length < checksumBytes) return { mistake: 'input string is smaller than the checksum size' }
  const bytes = whole.subarray(0, -checksumBytes)
  return encodedBytes(bytes) === text.toLowerCase() ? { bytes } : { mistake: 'invalid input checksum' }
}

/** Narrows the encoding for a method that returns only bytes. */
export function bytesOnly(encoding: Encoding): Exclude<Encoding, 'json'> {
  if (encoding === 'json') throw new MethodError('unsupported encoding in method')
  return encoding
}

/** JSON text; numbers may have any size. */
export function jsonText(value: unknown): string {
  return stringify(value) ?? 'null'
}
