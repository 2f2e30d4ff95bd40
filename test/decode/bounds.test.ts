import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DecodeError } from '../../src/errors.ts'
import { type Answered, everyAnswer } from './every-answer.ts'
import { testContext } from './service/reading.ts'

type Leaf = { readonly keys: readonly (string | number)[]; readonly value: unknown }

function leavesOf(value: unknown, keys: readonly (string | number)[] = []): Leaf[] {
  if (Array.isArray(value)) return value.flatMap((item, position) => leavesOf(item, [...keys, position]))
  if (typeof value !== 'object' || value === null) return [{ keys, value }]
  return Object.entries(value).flatMap(([name, member]) => leavesOf(member, [...keys, name]))
}

/** A copy of an answer with another value at one path. */
function changed(answer: any, [key, ...rest]: readonly (string | number)[], value: unknown): any {
  const copy = Array.isArray(answer) ? [...answer] : { ...answer }
  copy[key!] = rest.length === 0 ? value : changed(answer[key!], rest, value)
  return copy
}

/** The path as errors write it. */
const pathOf = (keys: Leaf['keys']): string =>
  keys.map((key, at) => (typeof key === 'number' ? `[${key}]` : at === 0 ? key : `.${key}`)).join('')

/** Fields that may hold any text: names, descriptions of tokens and chains, and what nodes state as their version. */
const free = /name|symbol|uri$|url$|description|background|attributes|properties|^city$|^country$|^avalancheGoVersion$/i
/** Fields that are refused with errors of their own, or that are read leniently. */
const special = ['chainId', 'ercType', 'asset', 'vmName']
const signed = ['balanceChange', 'latitude', 'longitude']
const isNumber = (value: unknown): boolean => typeof value !== 'string' || /^\d+(\.\d+)?$/.test(value)
const nameOf = ({ keys }: Leaf): string => String(keys.findLast((key) => typeof key === 'string'))
const isBound = (leaf: Leaf): boolean =>
  typeof leaf.value !== 'boolean' && !free.test(nameOf(leaf)) && !special.includes(nameOf(leaf))

function badOf(leaf: Leaf): unknown[] {
  if (!isNumber(leaf.value)) return ['not-a-hash\u{fffd}', '\u{fffd}', `${leaf.value}\u{fffd}`, ` ${leaf.value}`]
  const below = signed.includes(nameOf(leaf)) ? [-(2n ** 64n)] : [-1, '-5', -0.5]
  const above = /value$|percent|progress/i.test(nameOf(leaf))
    ? ['many']
    : [2n ** 256n, (2n ** 256n).toString(), '1.5.1', 'x']
  return [...below, ...above, '\u{fffd}']
}

function failureOf({ decode }: Answered, answer: unknown): unknown {
  try {
    return { taken: decode(answer, testContext()) }
  } catch (error) {
    return error
  }
}

function expectRefused(answered: Answered, { keys }: Leaf, value: unknown): void {
  const error = failureOf(answered, changed(answered.answer, keys, value))
  expect(error, `${pathOf(keys)} = ${String(value)}`).toBeInstanceOf(DecodeError)
  const { details } = error as DecodeError
  expect([details?.['field'], details?.['other']], `${pathOf(keys)} = ${String(value)}`).toContain(pathOf(keys))
}

describe.each(everyAnswer.map((answered) => [answered.route, answered] as const))('%s', (_, answered) => {
  const leaves = leavesOf(answered.answer)

  test('decode with every field, and none is reported as unknown', () => {
    const context = testContext()
    answered.decode(answered.answer, context)
    expect(context.unknown).toEqual([])
  })

  test('are refused when a field has an invalid value; the error names the path of the field', () => {
    for (const leaf of leaves.filter(isBound)) for (const value of badOf(leaf)) expectRefused(answered, leaf, value)
  })

  test('are refused when an address has a wrong checksum; the error has its path, its text and the reason', () => {
    for (const leaf of leaves.filter(({ value }) => /^(?:[PXC]-)?[a-z]+1[02-9ac-hj-np-z]{38}$/.test(String(value)))) {
      const text = String(leaf.value)
      const wrong = `${text.slice(0, -1)}${text.endsWith('q') ? 'p' : 'q'}`
      expectRefused(answered, leaf, wrong)
      const { message, details } = failureOf(answered, changed(answered.answer, leaf.keys, wrong)) as DecodeError
      expect(message).toBe(`The field ${pathOf(leaf.keys)} of the answer is no address, or its checksum is wrong.`)
      expect(details?.['value']).toBe(`"${wrong}"`)
    }
  })

  test('are refused when a required text is empty', () => {
    for (const leaf of leaves.filter(isBound)) {
      const isOptional = !(failureOf(answered, changed(answered.answer, leaf.keys, null)) instanceof DecodeError)
      if (!isOptional) expectRefused(answered, leaf, '')
    }
  })

  test('are accepted when a name has damaged characters (U+FFFD)', () => {
    for (const { keys } of leaves.filter((leaf) => free.test(nameOf(leaf)) && nameOf(leaf) !== 'vmName'))
      answered.decode(changed(answered.answer, keys, 'M\u{fffd}bel'), testContext())
  })
})

/** The exclusive upper bound of each kind of number, with one field of that kind. */
const bounds = [
  ['UTXOs of P', ['utxos', 0, 'outputIndex'], 2n ** 32n],
  ['UTXOs of P', ['utxos', 0, 'platformLocktime'], 2n ** 64n],
  ['UTXOs of P', ['utxos', 0, 'blockNumber'], 2n ** 53n],
  ['UTXOs of P', ['utxos', 0, 'blockTimestamp'], 253_402_300_800n],
  ['UTXOs of P', ['utxos', 0, 'asset', 'denomination'], 256n],
  ['P transactions', ['transactions', 0, 'value', 0, 'amount'], 10n ** 38n],
  ['P transactions', ['transactions', 0, 'l1ValidatorDetails', 0, 'weight'], 2n ** 64n],
  ['rewards', ['historicalRewards', 0, 'amountStaked'], 2n ** 64n],
  ['EVM blocks', ['blocks', 0, 'gasUsed'], 2n ** 63n],
  ['EVM blocks', ['blocks', 0, 'gasLimit'], 2n ** 64n],
  ['EVM blocks', ['blocks', 0, 'feesSpent'], 2n ** 256n],
  ['validators', ['validators', 0, 'weight'], 2n ** 64n],
  ['supply', ['supply'], 2n ** 64n],
] as const

test.each(bounds)(
  'numbers of %s at %j are accepted from 0 to below the bound and refused outside of it',
  (route, keys, bound) => {
    const answered = everyAnswer.find((one) => one.route === route)!
    const leaf = { keys, value: '' }
    const near = [0n, 1n, bound - 1n, bound, bound + 1n, -1n]
    const numbers = fc.oneof(fc.constantFrom(...near), fc.bigInt({ min: -bound, max: 2n * bound }))
    fc.assert(
      fc.property(numbers, fc.boolean(), (number, asText) => {
        const value = asText ? number.toString() : Number.isSafeInteger(Number(number)) ? Number(number) : number
        if (number < 0n || number >= bound) expectRefused(answered, leaf, value)
        else answered.decode(changed(answered.answer, keys, value), testContext())
      }),
    )
  },
)
