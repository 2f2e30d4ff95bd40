import { ReadFailure } from './reader.ts'
import { u16, u32 } from './scalars.ts'
import type { Schema, ValueOf } from './schema.ts'

type Variant = { readonly type: string; readonly tagged: Schema<any> }
type Variants = { readonly [typeId: number]: Variant }
type TaggedValue<V> = V extends { readonly tagged: infer S } ? ValueOf<S> : never

type Union<V extends Variants> = Schema<TaggedValue<V[keyof V]>> & { readonly variants: V }

/** One of several structs after its type id (u32). `type` of the value is the name of the struct. Errors use `what`. */
export function union<V extends Variants>(what: string, variants: V): Union<V> {
  return choice(what, 'type', u32, variants)
}

/** One of several structs after its codec version (u16), for types with different fields in each version. */
export function versions<V extends Variants>(what: string, variants: V): Union<V> {
  return choice(what, 'version', u16, variants)
}

function choice<V extends Variants>(what: string, key: string, number: Schema<number>, variants: V): Union<V> {
  const byId: (Variant | undefined)[] = []
  const idOf = new Map<string, number>()
  for (const [id, variant] of Object.entries<Variant>(variants)) {
    byId[Number(id)] = variant
    idOf.set(variant.type, Number(id))
  }
  return {
    variants,
    read: (reader) => {
      const at = reader.offset
      const id = number.read(reader)
      const variant = byId[id]
      if (variant === undefined) throw new ReadFailure(`${what} of unknown ${key} ${id}`, at)
      return variant.tagged.read(reader)
    },
    write: (writer, value) => {
      const { type } = value as { type: string }
      const id = idOf.get(type)
      if (id === undefined) throw new RangeError(`${what} of unknown type ${type}`)
      number.write(writer, id)
      byId[id]!.tagged.write(writer, value)
    },
  }
}
