import fc from 'fast-check'
import { bool, bytes, i64, type Schema, text, u8, u16, u32, u64 } from '../../src/codec/linear/index.ts'

const scalars = new Map<Schema<any>, fc.Arbitrary<unknown>>([
  [u8, fc.nat(0xff)],
  [u16, fc.nat(0xffff)],
  [u32, fc.nat(0xffffffff)],
  [u64, fc.bigInt(0n, 2n ** 64n - 1n)],
  [i64, fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n)],
  [bool, fc.boolean()],
  [bytes, fc.uint8Array({ maxLength: 40 })],
  [text, fc.string({ unit: 'binary', maxLength: 20 })],
])

/** Any value that a schema can hold. */
export function valuesOf(schema: Schema<any>): fc.Arbitrary<any> {
  const scalar = scalars.get(schema)
  if (scalar !== undefined) return scalar
  const made = schema as Record<string, any>
  if ('inner' in made) return valuesOf(made['inner'])
  if ('item' in made) return fc.array(valuesOf(made['item']), { maxLength: 3 })
  if ('length' in made) return fc.uint8Array({ minLength: made['length'], maxLength: made['length'] })
  if ('fields' in made) return fieldsOf(made['fields'])
  if ('variants' in made)
    return fc.oneof(
      ...Object.values<any>(made['variants']).map((variant) =>
        fieldsOf(variant.fields).map((fields) => ({ type: variant.type, ...fields })),
      ),
    )
  throw new Error('a schema without arbitrary values')
}

function fieldsOf(fields: Record<string, Schema<any>>): fc.Arbitrary<object> {
  return fc.record(Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, valuesOf(schema)])), {
    noNullPrototype: true,
  })
}
