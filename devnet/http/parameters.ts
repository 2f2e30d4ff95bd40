import { isLosslessNumber } from 'lossless-json'
import { decodeCb58 } from '../../codec/ids.ts'
import { zeroIdText } from '../network/genesis.ts'

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
export function readParameters(value: unknown): Parameters {
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
