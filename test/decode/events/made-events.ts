import fc from 'fast-check'

/** A parameter as an ABI writes it. */
export type JsonInput = {
  readonly name: string
  readonly type: string
  readonly components?: readonly JsonInput[]
  readonly indexed?: boolean
}
export type JsonEvent = {
  readonly type: 'event'
  readonly name: string
  readonly inputs: readonly JsonInput[]
  readonly anonymous: boolean
}
/** An event, a value for each parameter, as libraries take it, and the same value as its columns hold it. */
export type MadeEvent = {
  readonly event: JsonEvent
  readonly values: readonly unknown[]
  readonly held: readonly unknown[]
}

type Made = {
  readonly type: string
  readonly components?: readonly JsonInput[]
  readonly value: unknown
  readonly held: unknown
}

const hexOf = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`
const bytesOf = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })

const integers = fc
  .record({ sign: fc.constantFrom('uint', 'int'), bits: fc.integer({ min: 1, max: 32 }).map((bytes) => bytes * 8) })
  .chain(({ sign, bits }) => {
    const [min, max] =
      sign === 'uint' ? [0n, 2n ** BigInt(bits) - 1n] : [-(2n ** BigInt(bits - 1)), 2n ** BigInt(bits - 1) - 1n]
    return fc.oneof(fc.bigInt({ min, max }), fc.constantFrom(min, max, 0n)).map((value): Made => {
      const isBigint = sign === 'int' ? bits <= 64 : bits <= 56
      const held = isBigint && Number.isSafeInteger(Number(value)) ? Number(value) : bits > 120 ? String(value) : value
      return { type: `${sign}${bits}`, value, held }
    })
  })

const scalars = fc.oneof(
  { weight: 3, arbitrary: integers },
  bytesOf(20).map((bytes): Made => ({ type: 'address', value: hexOf(bytes), held: hexOf(bytes) })),
  fc.boolean().map((value): Made => ({ type: 'bool', value, held: value })),
  fc
    .integer({ min: 1, max: 32 })
    .chain(bytesOf)
    .map((bytes): Made => ({ type: `bytes${bytes.length}`, value: hexOf(bytes), held: hexOf(bytes) })),
  fc.string({ unit: 'grapheme', maxLength: 40 }).map((value): Made => ({ type: 'string', value, held: value })),
  fc.uint8Array({ maxLength: 70 }).map((bytes): Made => ({ type: 'bytes', value: hexOf(bytes), held: bytes })),
)

/** Lists repeat one value with the type of another: all items have the same type. */
const types = fc.letrec<{ type: Made; nested: Made }>((tie) => ({
  type: fc.oneof({ maxDepth: 3, depthSize: 'small' }, scalars, tie('nested')),
  nested: fc.oneof(
    fc.tuple(tie('type'), fc.integer({ min: 0, max: 3 }), fc.boolean()).map(([item, count, isFixed]): Made => {
      const length = isFixed ? Math.max(1, count) : count
      const { type, components } = item
      return {
        type: `${type}[${isFixed ? length : ''}]`,
        ...(components === undefined ? {} : { components }),
        value: Array.from({ length }, () => item.value),
        held: Array.from({ length }, () => item.held),
      }
    }),
    fc.array(tie('type'), { minLength: 1, maxLength: 3 }).map((fields): Made => {
      const named = fields.map((field, at) => ({ ...field, name: `c${at}` }))
      return {
        type: 'tuple',
        components: named.map(inputOf),
        value: Object.fromEntries(named.map(({ name, value }) => [name, value])),
        held: Object.fromEntries(named.map(({ name, held }) => [name, held])),
      }
    }),
  ),
}))

function inputOf({ name, type, components }: Made & { readonly name: string }): JsonInput {
  return { name, type, ...(components === undefined ? {} : { components }) }
}

/** Events with up to five parameters `p0`, `p1`, …; topics hold values and hashes. */
export const madeEvents: fc.Arbitrary<MadeEvent> = fc
  .record({
    made: fc.array(types.type, { maxLength: 5 }),
    indexed: fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
    anonymous: fc.boolean(),
  })
  .map(({ made, indexed, anonymous }): MadeEvent => {
    let left = anonymous ? 4 : 3
    const inputs = made.map((each, at) => ({
      ...inputOf({ ...each, name: `p${at}` }),
      indexed: indexed[at]! && left-- > 0,
    }))
    return {
      event: { type: 'event', name: 'Made', inputs, anonymous },
      values: made.map(({ value }) => value),
      held: made.map(({ held }) => held),
    }
  })

/** Whether a topic holds a hash instead of the value. */
export function isHashed({ type }: JsonInput): boolean {
  return type === 'string' || type === 'bytes' || type.startsWith('tuple') || type.endsWith(']')
}
