import fc from 'fast-check'
import { bool, bytes, i64, type Schema, text, u8, u16, u32, u64 } from '../../codec/linear.ts'
import { rlpBytes } from '../../codec/rlp.ts'

const scalars = new Map<Schema<any>, fc.Arbitrary<unknown>>([
  [u8, fc.nat(0xff)],
  [u16, fc.nat(0xffff)],
  [u32, fc.nat(0xffffffff)],
  [u64, fc.bigInt(0n, 2n ** 64n - 1n)],
  [i64, fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n)],
  [bool, fc.boolean()],
  [bytes, fc.uint8Array({ maxLength: 40 })],
  [rlpBytes, fc.uint8Array({ maxLength: 80 })],
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
  if ('bits' in made) return fc.bigInt(0n, 2n ** BigInt(made['bits']) - 1n)
  if ('orEmpty' in made) return fc.option(valuesOf(made['orEmpty']))
  if ('legacy' in made)
    return fc.oneof(...[made['legacy'], ...Object.values<any>(made['typed'])].map((variant) => taggedOf(variant)))
  if ('optional' in made) return rlpStructOf(made['fields'], made['optional'])
  if ('fields' in made) return fieldsOf(made['fields'])
  if ('variants' in made) return fc.oneof(...Object.values<any>(made['variants']).map((variant) => taggedOf(variant)))
  throw new Error('a schema without arbitrary values')
}

function fieldsOf(fields: Record<string, Schema<any>>): fc.Arbitrary<object> {
  return fc.record(Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, valuesOf(schema)])), {
    noNullPrototype: true,
  })
}

function taggedOf(variant: { type: string; fields: Record<string, Schema<any>> }): fc.Arbitrary<object> {
  return fieldsOf(variant.fields).map((fields) => ({ type: variant.type, ...fields }))
}

/** Has the first few of the optional fields; the others are null. */
function rlpStructOf(fields: Record<string, Schema<any>>, optional: Record<string, Schema<any>>): fc.Arbitrary<object> {
  const names = Object.keys(optional)
  return fc.tuple(fieldsOf(fields), fieldsOf(optional), fc.nat(names.length)).map(([known, added, count]) => ({
    ...known,
    ...Object.fromEntries(Object.entries(added).map(([name, value], i) => [name, i < count ? value : null])),
  }))
}
