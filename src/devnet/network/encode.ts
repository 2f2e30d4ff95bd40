import type { Schema } from '../../codec/linear/index.ts'
import { createWriter } from '../../codec/linear/writer.ts'

/** Everything is written here first: most values are too small for a buffer of their own that grows. */
const scratch = createWriter(1 << 16)

/** The bytes of a value, as `encode` of the codec gives them. */
export function encodeNow<T>(schema: Schema<T>, value: T): Uint8Array {
  scratch.offset = 0
  schema.write(scratch, value)
  return scratch.bytes.slice(0, scratch.offset)
}
