import { parseAbiItem } from 'micro-eth-signer/abi.js'
import { z } from 'zod'
import { keccak256 } from '../../../codec/keccak.ts'
import { ConfigError } from '../../errors.ts'

/** The types of the contract ABI, without names. A `function` is an address and a selector: 24 bytes. */
export type AbiType =
  | { readonly kind: 'address' | 'bool' | 'function' | 'string' | 'bytes' }
  | { readonly kind: 'uint' | 'int'; readonly bits: number }
  | { readonly kind: 'fixed-bytes'; readonly size: number }
  /** `length` null: any number of items. */
  | { readonly kind: 'array'; readonly item: AbiType; readonly length: number | null }
  | { readonly kind: 'tuple'; readonly fields: readonly AbiField[] }

/** A parameter or a component; the name is empty where the ABI gives none. */
export type AbiField = { readonly name: string; readonly type: AbiType }

export type AbiInput = AbiField & { readonly indexed: boolean }

export type AbiEvent = {
  readonly name: string
  readonly inputs: readonly AbiInput[]
  /** The first topic of an anonymous event is not the hash of its signature. */
  readonly anonymous: boolean
}

/** Bytes of a word of the encoding. */
export const word = 32

/** Whether values are behind an offset, because they differ in length. */
export function isDynamic(type: AbiType): boolean {
  if (type.kind === 'array') return type.length === null || isDynamic(type.item)
  if (type.kind === 'tuple') return type.fields.some((field) => isDynamic(field.type))
  return type.kind === 'string' || type.kind === 'bytes'
}

/** The bytes of a value at its place: those of the value itself, or of its offset. */
export function headSize(type: AbiType): number {
  if (isDynamic(type)) return word
  if (type.kind === 'array') return (type.length ?? 0) * headSize(type.item)
  if (type.kind === 'tuple') return type.fields.reduce((sum, field) => sum + headSize(field.type), 0)
  return word
}

/** Whether a topic holds the value itself; other indexed values are in the topic as a hash. */
export function fitsTopic({ kind }: AbiType): boolean {
  return !['string', 'bytes', 'array', 'tuple'].includes(kind)
}

/** Whether integers of the type are text with all digits, because DECIMAL(38,0) does not hold each of them. */
export function isWide(type: AbiType): boolean {
  return 'bits' in type && type.bits > 120
}

/** Creates the error of a mistake: `path` names the place, `complaint` is the end of the sentence. */
type Wrong = (path: string, complaint: string, cause?: unknown) => ConfigError

export function mistakesIn(facts: { readonly code: string; readonly hint: string }): Wrong {
  return (path, complaint, cause) =>
    new ConfigError(`${path} ${complaint}.`, { ...facts, ...(cause === undefined ? {} : { cause }) })
}

const wrongFunction = mistakesIn({
  code: 'config.function',
  hint: 'Write a function as Solidity declares it, such as function balanceOf(address) view returns (uint256).',
})

/**
 * Parses what Solidity declares into an item of an ABI. micro-eth-signer parses signatures: it accepts `anonymous`, any white space and
 * nested tuples, it refuses what it does not understand, it runs on Node 20.19, and its parser imports nothing (10 kB of the bundle).
 * The parser of abitype is deprecated, and its successor in ox refuses `anonymous` and installs post-quantum cryptography.
 */
export function itemOfSignature(text: string, path: string, kind: 'event' | 'function', wrong: Wrong): unknown {
  const complaint = `is no signature of ${kind === 'event' ? 'an event' : 'a function'}`
  let item: { readonly type?: unknown }
  try {
    item = parseAbiItem(text.trim().replace(/;$/, ''))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace(/^parseAbi: /, '') : String(cause)
    throw wrong(path, `${complaint}: ${fixedPoint.test(text) ? noFixedPoint : reason}`, cause)
  }
  if (item.type === kind) return item
  throw wrong(path, `${complaint}: it must begin with "${kind} "`)
}

/** An item of an ABI that is of a shape. Throws the error that `wrong` creates. */
export function shaped<T>(shape: z.ZodType<T>, item: unknown, path: string, wrong: Wrong): T {
  const read = shape.safeParse(item)
  if (read.success) return read.data
  const { path: keys, message } = read.error.issues[0]!
  const within = keys.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('')
  throw wrong(path + within, `is malformed: ${message}`)
}

export const identifier = /^[A-Za-z_$][A-Za-z0-9_$]*$/

/** `indexed` of a component and further fields (`internalType`) are ignored, as other programs do. */
export type AbiParameter = {
  readonly type: string
  readonly name?: string | undefined
  readonly indexed?: boolean | undefined
  readonly components?: readonly AbiParameter[] | undefined
}
export const abiParameter: z.ZodType<AbiParameter> = z.lazy(() =>
  z.object({
    type: z.string(),
    name: z.string().optional(),
    indexed: z.boolean().optional(),
    components: z.array(abiParameter).optional(),
  }),
)

/** A parameter or a component. Throws the error that `wrong` creates. */
export function fieldOf({ name = '', type, components }: AbiParameter, path: string, wrong: Wrong): AbiField {
  if (name !== '' && !identifier.test(name))
    throw wrong(`${path}.name`, `must be letters, digits, _ and $, not ${JSON.stringify(name)}`)
  return { name, type: typeOf(type, components, path, wrong) }
}

const fixedPoint = /\bu?fixed\d*(x\d+)?\b/
const noFixedPoint = 'fixed-point types are not supported, because no compiler emits them'
/** No log has as many bytes. */
const mostBytes = 2 ** 31

function typeOf(text: string, components: readonly AbiParameter[] | undefined, path: string, wrong: Wrong): AbiType {
  const array = /^(.*)\[(\d*)\]$/s.exec(text)
  if (array !== null) {
    const length = array[2] === '' ? null : Number(array[2])
    const type: AbiType = { kind: 'array', item: typeOf(array[1]!, components, path, wrong), length }
    if (length === 0) throw wrong(`${path}.type`, `${JSON.stringify(text)} has no items`)
    if (!isDynamic(type) && headSize(type) > mostBytes)
      throw wrong(`${path}.type`, `${JSON.stringify(text)} is longer than any log`)
    return type
  }
  if (text === 'tuple') {
    if (components === undefined || components.length === 0)
      throw wrong(`${path}.components`, 'must list the components of the tuple')
    return { kind: 'tuple', fields: components.map((each, at) => fieldOf(each, `${path}.components[${at}]`, wrong)) }
  }
  const type = simpleType(text)
  if (type !== null) return type
  throw wrong(
    `${path}.type`,
    fixedPoint.test(text) ? `is ${text}: ${noFixedPoint}` : `${JSON.stringify(text)} is no type of the ABI`,
  )
}

function simpleType(text: string): AbiType | null {
  const plain = (['address', 'bool', 'function', 'string', 'bytes'] as const).find((kind) => kind === text)
  if (plain !== undefined) return { kind: plain }
  const [, name, digits] = /^(uint|int|bytes)([1-9]\d{0,2})$/.exec(text) ?? []
  const number = Number(digits)
  if (name === 'bytes') return number <= 32 ? { kind: 'fixed-bytes', size: number } : null
  if (name !== 'uint' && name !== 'int') return text === 'uint' || text === 'int' ? { kind: text, bits: 256 } : null
  return number % 8 === 0 && number <= 256 ? { kind: name, bits: number } : null
}

/** An item of an ABI, and its place for errors, such as `a.json: abi[3]`. */
type PlacedItem = { readonly item: unknown; readonly path: string }

/**
 * The items of one type in an ABI as JSON text: a list of items, or the artifact of a compiler with such a list as `abi`. Throws `ConfigError`
 * unless there is one.
 */
export function abiItems(text: string, path: string, type: 'event' | 'function'): PlacedItem[] {
  const [items, within] = itemsOf(text, path)
  const found = items.flatMap((item, position) =>
    (item as { type?: unknown } | null)?.type === type ? [{ item, path: `${path}: ${within}[${position}]` }] : [],
  )
  if (found.length === 0)
    throw new ConfigError(`${path}: the ABI declares no ${type}.`, {
      code: 'config.abi',
      hint: 'For a proxy, give the ABI of its implementation and the address of the proxy.',
    })
  return found
}

/** The items of an ABI, and the name of their list. */
function itemsOf(text: string, path: string): [readonly unknown[], string] {
  let json: unknown
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (cause) {
    throw noAbi(path, cause)
  }
  if (Array.isArray(json)) return [json, 'abi']
  const artifact = json as { abi?: unknown; output?: { abi?: unknown } } | null
  // Hardhat, Foundry and Truffle write `abi`; the metadata of solc has it in `output`.
  if (Array.isArray(artifact?.abi)) return [artifact.abi, 'abi']
  if (Array.isArray(artifact?.output?.abi)) return [artifact.output.abi, 'output.abi']
  throw noAbi(path)
}

function noAbi(path: string, cause?: unknown): ConfigError {
  return new ConfigError(`${path}: the file is no ABI.`, {
    code: 'config.abi',
    hint: 'It must be the JSON list of an ABI, or the artifact of a compiler with such a list as "abi".',
    ...(cause === undefined ? {} : { cause }),
  })
}

/** The first topic of logs of the event: the hash of its name and types, as lower-case hex text. */
export function topicOf(event: AbiEvent): string {
  return `0x${hashOf(event).toString('hex')}`
}

function hashOf({ name, inputs }: { readonly name: string; readonly inputs: readonly AbiField[] }): Buffer {
  return Buffer.from(keccak256(Buffer.from(`${name}(${inputs.map(({ type }) => typeText(type)).join()})`)))
}

/** The event as Solidity declares it, which `parseSignature` reads: `event Name(type [indexed] name, …) [anonymous]`. */
export function signatureOf({ name, inputs, anonymous }: AbiEvent): string {
  const parameters = inputs.map((input) => `${typeText(input.type, fieldName)}${indexedText(input)}${fieldName(input)}`)
  return `event ${name}(${parameters.join(', ')})${anonymous ? ' anonymous' : ''}`
}

/** The event without names of parameters: what decides which logs it has. */
export function typesOf({ name, inputs, anonymous }: AbiEvent): string {
  const parameters = inputs.map((input) => `${typeText(input.type)}${indexedText(input)}`)
  return `${name}(${parameters.join(', ')})${anonymous ? ' anonymous' : ''}`
}

function indexedText({ indexed }: AbiInput): string {
  return indexed ? ' indexed' : ''
}

/** The name of a parameter after its type. Words that Solidity reads as something else in this place end in an underscore. */
function fieldName({ name }: AbiField): string {
  return name === '' ? '' : ` ${modifiers.has(name) ? `${name}_` : name}`
}

/** Solidity has no parameters with these names; JSON ABIs of other compilers may. */
const modifiers: ReadonlySet<string> = new Set(['indexed', 'memory', 'storage', 'calldata', 'payable'])

/** A type as Solidity writes it, with the names of components that `nameOf` gives. */
function typeText(type: AbiType, nameOf: (field: AbiField) => string = () => ''): string {
  if ('bits' in type) return `${type.kind}${type.bits}`
  if (type.kind === 'fixed-bytes') return `bytes${type.size}`
  if (type.kind === 'array') return `${typeText(type.item, nameOf)}[${type.length ?? ''}]`
  if (type.kind !== 'tuple') return type.kind
  const fields = type.fields.map((field) => `${typeText(field.type, nameOf)}${nameOf(field)}`)
  return `(${fields.join(nameOf === fieldName ? ', ' : ',')})`
}

export type AbiFunction = {
  readonly name: string
  readonly inputs: readonly AbiField[]
  readonly outputs: readonly AbiField[]
  /** Whether it is declared as view or pure. */
  readonly isReadOnly: boolean
}

const item = z.object({
  type: z.literal('function'),
  name: z.string().regex(identifier, 'must be the name of a function'),
  inputs: z.array(abiParameter).optional(),
  outputs: z.array(abiParameter).optional(),
  stateMutability: z.string().optional(),
  // Compilers before Solidity 0.5 write this instead.
  constant: z.boolean().optional(),
})

/** Parses `function name(type [name], …) [view] [returns (type [name], …)]`. `path` names the text in errors. Throws `ConfigError`. */
export function parseFunction(text: string, path: string): AbiFunction {
  return functionOf(itemOfSignature(text, path, 'function', wrongFunction), path)
}

/** The functions of an ABI as JSON text, or of the artifact of a compiler. Throws `ConfigError` with the path of a malformed function. */
export function parseAbiFunctions(text: string, path: string): AbiFunction[] {
  return abiItems(text, path, 'function').map(({ item, path }) => functionOf(item, path))
}

function functionOf(json: unknown, path: string): AbiFunction {
  const { name, inputs = [], outputs = [], stateMutability, constant } = shaped(item, json, path, wrongFunction)
  return {
    name,
    inputs: inputs.map((each, at) => fieldOf(each, `${path}.inputs[${at}]`, wrongFunction)),
    outputs: outputs.map((each, at) => fieldOf(each, `${path}.outputs[${at}]`, wrongFunction)),
    isReadOnly: stateMutability === undefined ? constant === true : /^(view|pure)$/.test(stateMutability),
  }
}

/** The function as `parseFunction` reads it, without what does not change its calls. */
export function functionText(called: AbiFunction): string {
  return declarationOf(called, '')
}

/** The function as Solidity declares it, which `parseFunction` reads. */
export function functionSignature(called: AbiFunction): string {
  return declarationOf(called, called.isReadOnly ? ' view' : '')
}

function declarationOf({ name, inputs, outputs }: AbiFunction, modifier: string): string {
  const listed = (fields: readonly AbiField[]): string =>
    fields.map((field) => `${typeText(field.type, fieldName)}${fieldName(field)}`).join(', ')
  return `function ${name}(${listed(inputs)})${modifier}${outputs.length === 0 ? '' : ` returns (${listed(outputs)})`}`
}

/** The first four bytes of the input of each call of the function. */
export function selectorOf(called: AbiFunction): Buffer {
  return hashOf(called).subarray(0, 4)
}

/**
 * Encodes arguments as the contract ABI does. Values are parsed JSON: integers as numbers or as text in decimal or hexadecimal digits, bytes
 * and addresses as hexadecimal text, tuples as lists or objects. Throws `ConfigError` with the path of a value that is not of its type.
 */
export function encodeValues(fields: readonly AbiField[], values: readonly unknown[], path: string): Buffer {
  if (values.length !== fields.length)
    throw wrongValue(path, `has ${values.length} values, but there are ${fields.length} parameters`)
  return encodeAll(fields.map(({ type }, at) => ({ type, value: values[at], path: `${path}[${at}]` })))
}

type Given = { readonly type: AbiType; readonly value: unknown; readonly path: string }

/** Values of fixed length in place, others behind their offsets. */
function encodeAll(given: readonly Given[]): Buffer {
  const heads: Buffer[] = []
  const tails: Buffer[] = []
  let offset = given.reduce((sum, { type }) => sum + headSize(type), 0)
  for (const { type, value, path } of given) {
    const encoded = encode(type, value, path)
    if (!isDynamic(type)) heads.push(encoded)
    else {
      heads.push(wordOf(BigInt(offset)))
      tails.push(encoded)
      offset += encoded.length
    }
  }
  return Buffer.concat([...heads, ...tails])
}

function encode(type: AbiType, value: unknown, path: string): Buffer {
  switch (type.kind) {
    case 'uint':
    case 'int':
      return encodeInteger(type, value, path)
    case 'bool':
      return wordOf(booleanOf(value, path) ? 1n : 0n)
    case 'address':
      return Buffer.concat([Buffer.alloc(word - 20), bytesOf(value, 20, type, path)])
    case 'function':
      return padded(bytesOf(value, 24, type, path))
    case 'fixed-bytes':
      return padded(bytesOf(value, type.size, type, path))
    case 'bytes':
      return withLength(bytesOf(value, null, type, path))
    case 'string':
      if (typeof value !== 'string') throw wrongValue(path, 'must be a text')
      return withLength(Buffer.from(value))
    case 'array':
      return encodeArray(type, value, path)
    case 'tuple':
      return encodeTuple(type.fields, value, path)
  }
}

function encodeInteger(type: Extract<AbiType, { bits: number }>, value: unknown, path: string): Buffer {
  const isInteger =
    typeof value === 'bigint' ||
    Number.isSafeInteger(value) ||
    (typeof value === 'string' && /^(-?\d+|0x[0-9a-f]+)$/i.test(value))
  const integer = isInteger ? BigInt(value as string) : null
  const [least, end] =
    type.kind === 'uint' ? [0n, 1n << BigInt(type.bits)] : [-(1n << BigInt(type.bits - 1)), 1n << BigInt(type.bits - 1)]
  if (integer === null || integer < least || integer >= end) throw wrongValue(path, `must be ${typeText(type)}`)
  return wordOf(BigInt.asUintN(256, integer))
}

function booleanOf(value: unknown, path: string): boolean {
  if (value === true || value === 'true') return true
  if (value === false || value === 'false') return false
  throw wrongValue(path, 'must be true or false')
}

function bytesOf(value: unknown, length: number | null, type: AbiType, path: string): Buffer {
  const isHex = typeof value === 'string' && /^0x([0-9a-f]{2})*$/i.test(value)
  const bytes = isHex ? Buffer.from(value.slice(2), 'hex') : null
  if (bytes === null || (length !== null && bytes.length !== length))
    throw wrongValue(
      path,
      `must be ${typeText(type)}: 0x and ${length === null ? 'an even number of' : length * 2} hexadecimal digits`,
    )
  return bytes
}

function encodeArray({ item, length }: Extract<AbiType, { kind: 'array' }>, value: unknown, path: string): Buffer {
  if (!Array.isArray(value) || (length !== null && value.length !== length))
    throw wrongValue(path, `must be a list${length === null ? '' : ` of ${length}`}`)
  const items = encodeAll(value.map((each, at) => ({ type: item, value: each, path: `${path}[${at}]` })))
  return length === null ? Buffer.concat([wordOf(BigInt(value.length)), items]) : items
}

function encodeTuple(fields: readonly AbiField[], value: unknown, path: string): Buffer {
  if (Array.isArray(value)) return encodeValues(fields, value, path)
  if (typeof value !== 'object' || value === null) throw wrongValue(path, 'must be a list or an object')
  const members = value as Readonly<Record<string, unknown>>
  return encodeAll(fields.map(({ name, type }) => ({ type, value: members[name], path: `${path}.${name}` })))
}

function wordOf(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(2 * word, '0'), 'hex')
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((word - (bytes.length % word)) % word)])
}

function withLength(bytes: Buffer): Buffer {
  return Buffer.concat([wordOf(BigInt(bytes.length)), padded(bytes)])
}

const wrongValue = mistakesIn({
  code: 'config.arguments',
  hint: 'Give the arguments of a call as a JSON list, such as ["0x…", 5], or the only argument as its text.',
})
