import { located, ReadFailure } from './reader.ts'
import { u32 } from './scalars.ts'
import type { List, Schema } from './schema.ts'

/** Items after their number (u32). */
export function list<T>(item: Schema<T>): List<T> {
  const { read, write } = item
  return {
    item,
    read: (reader) => {
      const at = reader.offset
      const length = u32.read(reader)
      // Every item takes at least one byte. An impossible number of items must not cost memory or time.
      if (length > reader.bytes.length - reader.offset) throw new ReadFailure(`a list of ${length} does not fit`, at)
      const items: T[] = []
      try {
        for (let i = 0; i < length; i++) items.push(read(reader))
      } catch (cause) {
        throw located(cause, items.length)
      }
      return items
    },
    write: (writer, value) => {
      u32.write(writer, value.length)
      for (const each of value) write(writer, each)
    },
  }
}
