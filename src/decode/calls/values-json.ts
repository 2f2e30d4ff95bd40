import { type AbiField, headSize } from '../events/abi-type.ts'
import { logData, takeBytes } from '../events/log-data.ts'
import { valueReader } from '../events/value-reader.ts'
import { jsonText } from '../json/json-text.ts'

/** Creates the function that reads encoded values as a JSON list. Integers are text, and so are bytes. It throws `LogDataError`. */
export function valuesReader(fields: readonly AbiField[]): (bytes: Uint8Array) => string {
  const reads = fields.map(({ type }) => valueReader(type))
  let size = 0
  const places = fields.map(({ type }) => {
    const at = size
    size += headSize(type)
    return at
  })
  return (bytes) => {
    const data = logData(bytes)
    takeBytes(data, 0, size)
    return jsonText(reads.map((read, at) => jsonOf(read(data, places[at]!, 0))))
  }
}

function jsonOf(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'bigint') return value.toString()
  if (value instanceof Uint8Array) return `0x${Buffer.from(value).toString('hex')}`
  if (Array.isArray(value)) return value.map(jsonOf)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, jsonOf(member)]))
}
