import { located } from './reader.ts'
import type { Schema, ValueOf } from './schema.ts'

export type Fields = { readonly [field: string]: Schema<any> }
export type StructValue<F extends Fields> = { readonly [K in keyof F]: ValueOf<F[K]> }
export type Tagged<N extends string, F extends Fields> = { readonly type: N } & StructValue<F>

/** Fields in order. `tagged` reads and writes the same bytes; its value says its `type`, for use in a union. */
export type Struct<N extends string, F extends Fields> = Schema<StructValue<F>> & {
  readonly type: N
  readonly fields: F
  readonly tagged: Schema<Tagged<N, F>>
}

/** `type`: the name in the node. A field whose type embeds another struct lists that one's fields: `...base`. */
export function struct<const N extends string, F extends Fields>(type: N, fields: F): Struct<N, F> {
  const write = fieldWriter(fields)
  return {
    type,
    fields,
    read: fieldReader(fields, {}),
    write,
    tagged: { read: fieldReader(fields, { type }), write },
  }
}

/** The same object shape for every value: the fields are there, in order, before the first one is read. */
function fieldReader(fields: Fields, tag: object): Schema<any>['read'] {
  const names = Object.keys(fields)
  const reads = names.map((name) => fields[name]!.read)
  const blank: Record<string, unknown> = { ...tag, ...Object.fromEntries(names.map((name) => [name, null])) }
  return (reader) => {
    const value = { ...blank }
    let i = 0
    try {
      for (; i < reads.length; i++) value[names[i]!] = reads[i]!(reader)
    } catch (cause) {
      throw located(cause, names[i]!)
    }
    return value
  }
}

function fieldWriter(fields: Fields): Schema<any>['write'] {
  const entries = Object.entries(fields)
  return (writer, value) => {
    for (const [name, schema] of entries) schema.write(writer, value[name])
  }
}
