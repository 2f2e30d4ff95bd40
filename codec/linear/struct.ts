import { fieldReader } from '../generated-code.ts'
import { located } from './reader.ts'
import type { Schema, ValueOf } from './schema.ts'

export type Fields = { readonly [field: string]: Schema<any> }
export type StructValue<F extends Fields> = { readonly [K in keyof F]: ValueOf<F[K]> }
export type Tagged<N extends string, F extends Fields> = { readonly type: N } & StructValue<F>

/** Fields in order. `tagged` reads and writes the same bytes, and its value has a `type` for use in a union. */
export type Struct<N extends string, F extends Fields> = Schema<StructValue<F>> & {
  readonly type: N
  readonly fields: F
  readonly tagged: Schema<Tagged<N, F>>
}

/**
 * `type` is the name of the type in the node's source. If that type embeds another struct, the fields of the other one are listed:
 * `...base`.
 */
export function struct<const N extends string, F extends Fields>(type: N, fields: F): Struct<N, F> {
  const write = fieldWriter(fields)
  return {
    type,
    fields,
    read: readFields(fields, null),
    write,
    tagged: { read: readFields(fields, type), write },
  }
}

function readFields(fields: Fields, type: string | null): Schema<any>['read'] {
  const names = Object.keys(fields)
  const reads = names.map((name) => fields[name]!.read)
  return fieldReader({ type, names, reads, required: names.length, failure: located }) as Schema<any>['read']
}

function fieldWriter(fields: Fields): Schema<any>['write'] {
  const entries = Object.entries(fields)
  return (writer, value) => {
    for (const [name, schema] of entries) schema.write(writer, value[name])
  }
}
