import { createWriter, type Schema } from '../../codec/linear.ts'

/** A shared buffer for all values: most values are too small to have a growing buffer of their own. */
const scratch = createWriter(1 << 16)

/** The bytes of a value, the same as `encode` of the codec returns. */
export function encodeNow<T>(schema: Schema<T>, value: T): Uint8Array {
  scratch.offset = 0
  schema.write(scratch, value)
  return scratch.bytes.slice(0, scratch.offset)
}
