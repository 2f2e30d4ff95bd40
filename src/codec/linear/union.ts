import { ReadFailure } from './reader.ts'
import { u32 } from './scalars.ts'
import type { Schema, ValueOf } from './schema.ts'

type Variant = { readonly type: string; readonly tagged: Schema<any> }
type Variants = { readonly [typeId: number]: Variant }
type TaggedValue<V> = V extends { readonly tagged: infer S } ? ValueOf<S> : never

type Union<V extends Variants> = Schema<TaggedValue<V[keyof V]>> & { readonly variants: V }

/** One of several structs behind its type id (u32). The value's `type` names which. `what` is used in errors. */
export function union<V extends Variants>(what: string, variants: V): Union<V> {
  const byId: (Variant | undefined)[] = []
  const idOf = new Map<string, number>()
  for (const [key, variant] of Object.entries<Variant>(variants)) {
    byId[Number(key)] = variant
    idOf.set(variant.type, Number(key))
  }
  return {
    variants,
    read: (reader) => {
      const at = reader.offset
      const typeId = u32.read(reader)
      const variant = byId[typeId]
      if (variant === undefined) throw new ReadFailure(`${what} of unknown type ${typeId}`, at)
      return variant.tagged.read(reader)
    },
    write: (writer, value) => {
      const { type } = value as { type: string }
      const typeId = idOf.get(type)
      if (typeId === undefined) throw new RangeError(`${what} of unknown type ${type}`)
      u32.write(writer, typeId)
      byId[typeId]!.tagged.write(writer, value)
    },
  }
}
