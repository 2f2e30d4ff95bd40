import { ReadFailure } from './reader.ts'
import { u16 } from './scalars.ts'
import type { Schema, Wrapping } from './schema.ts'

/** A value after its codec version (u16). Every value that is not a part of another one begins so. */
export function versioned<T>(schema: Schema<T>, version = 0): Wrapping<T> {
  return {
    inner: schema,
    read: (reader) => {
      const at = reader.offset
      const found = u16.read(reader)
      if (found !== version) throw new ReadFailure(`codec version ${found}, not ${version}`, at)
      return schema.read(reader)
    },
    write: (writer, value) => {
      u16.write(writer, version)
      schema.write(writer, value)
    },
  }
}
