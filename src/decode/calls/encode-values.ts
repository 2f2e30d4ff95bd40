import { ConfigError } from '../../errors.ts'
import { type AbiField, type AbiType, headSize, isDynamic, word } from '../events/abi-type.ts'
import { typeText } from '../events/event-signature.ts'

/**
 * Encodes arguments as the contract ABI does. Values are parsed JSON: integers as numbers or as text in decimal or hexadecimal digits, bytes
 * and addresses as hexadecimal text, tuples as lists or objects. Throws `ConfigError` with the path of a value that is not of its type.
 */
export function encodeValues(fields: readonly AbiField[], values: readonly unknown[], path: string): Buffer {
  if (values.length !== fields.length)
    throw wrongValue(path, `has ${values.length} values, but there are ${fields.length} parameters`)
  return encodeAll(
    fields.map(({ type }) => type),
    values,
    (at) => `${path}[${at}]`,
  )
}

/** Values of fixed length in place, others behind their offsets. */
function encodeAll(types: readonly AbiType[], values: readonly unknown[], pathOf: (at: number) => string): Buffer {
  const heads: Buffer[] = []
  const tails: Buffer[] = []
  let offset = types.reduce((sum, type) => sum + headSize(type), 0)
  for (const [at, type] of types.entries()) {
    const encoded = encode(type, values[at], pathOf(at))
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
  const items = encodeAll(
    value.map(() => item),
    value,
    (at) => `${path}[${at}]`,
  )
  return length === null ? Buffer.concat([wordOf(BigInt(value.length)), items]) : items
}

function encodeTuple(fields: readonly AbiField[], value: unknown, path: string): Buffer {
  if (Array.isArray(value)) return encodeValues(fields, value, path)
  if (typeof value !== 'object' || value === null) throw wrongValue(path, 'must be a list or an object')
  const members = fields.map(({ name }) => (value as Readonly<Record<string, unknown>>)[name])
  return encodeAll(
    fields.map(({ type }) => type),
    members,
    (at) => `${path}.${fields[at]!.name}`,
  )
}

function wordOf(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(2 * word, '0'), 'hex')
}

/** Bytes filled up to whole words. */
function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((word - (bytes.length % word)) % word)])
}

function withLength(bytes: Buffer): Buffer {
  return Buffer.concat([wordOf(BigInt(bytes.length)), padded(bytes)])
}

function wrongValue(path: string, complaint: string): ConfigError {
  return new ConfigError(`${path} ${complaint}.`, {
    code: 'config.arguments',
    hint: 'Give the arguments of a call as a JSON list, such as ["0x…", 5], or the only argument as its text.',
  })
}
