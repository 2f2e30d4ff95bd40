import { fieldReader } from '../generated-code.ts'
import { located, type Reader } from '../linear/reader.ts'
import type { List, Schema, ValueOf } from '../linear/schema.ts'
import type { Fields, StructValue } from '../linear/struct.ts'
import { enterList, leaveList, writeList } from './prefix.ts'

/** A list of items of one type. */
export function rlpList<T>(item: Schema<T>): List<T> {
  return {
    item,
    read: (reader) => {
      const end = enterList(reader)
      const items: T[] = []
      try {
        while (reader.offset < end) items.push(item.read(reader))
      } catch (cause) {
        throw located(cause, items.length)
      }
      leaveList(reader, end)
      return items
    },
    write: (writer, value) => {
      writeList(writer, () => {
        for (const each of value) item.write(writer, each)
      })
    },
  }
}

type OptionalValue<O extends Fields> = { readonly [K in keyof O]: ValueOf<O[K]> | null }
export type RlpStruct<N extends string, F extends Fields, O extends Fields> = Schema<
  StructValue<F> & OptionalValue<O>
> & {
  readonly type: N
  readonly fields: F
  /** Fields that forks have appended. If one is null, all later ones are null, too. */
  readonly optional: O
  readonly tagged: Schema<{ readonly type: N } & StructValue<F> & OptionalValue<O>>
}

/** A list of fields in order. `tagged` values have a `type`. */
export function rlpStruct<const N extends string, F extends Fields, O extends Fields = Record<never, never>>(
  type: N,
  fields: F,
  optional = {} as O,
): RlpStruct<N, F, O> {
  const write = fieldWriter(fields, optional)
  return {
    type,
    fields,
    optional,
    read: readFields(fields, optional, null),
    write,
    tagged: { read: readFields(fields, optional, type), write },
  }
}

function readFields(fields: Fields, optional: Fields, type: string | null): Schema<any>['read'] {
  const entries = [...Object.entries(fields), ...Object.entries(optional)]
  const read = fieldReader<Reader>({
    type,
    names: entries.map(([name]) => name),
    reads: entries.map(([, schema]) => schema.read),
    required: Object.keys(fields).length,
    failure: located,
  })
  return (reader) => {
    const end = enterList(reader)
    const value = read(reader, end)
    leaveList(reader, end)
    return value
  }
}

function fieldWriter(fields: Fields, optional: Fields): Schema<any>['write'] {
  const required = Object.entries(fields)
  const added = Object.entries(optional)
  return (writer, value) => {
    writeList(writer, () => {
      for (const [name, schema] of required) schema.write(writer, value[name])
      for (const [name, schema] of added) {
        if (value[name] === null) break
        schema.write(writer, value[name])
      }
    })
  }
}
