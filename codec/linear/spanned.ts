import type { Schema, Wrapping } from './schema.ts'

/** Records where the value's bytes begin and end. Some ids are hashes of a part of a container. */
export function spanned<T>(schema: Schema<T>): Wrapping<T> {
  return {
    inner: schema,
    read: (reader) => {
      const start = reader.offset
      const value = schema.read(reader)
      reader.spans.push(start, reader.offset)
      return value
    },
    write: schema.write,
  }
}
