import * as AbiFunction from 'ox/AbiFunction'
import * as AbiParameters from 'ox/AbiParameters'
import { describe, expect, test } from 'vitest'
import { encodeValues, functionText, parseFunction, selectorOf } from '../../../src/decode/events/abi.ts'
import { valuesReader } from '../../../src/decode/events/calls.ts'

const address = `0x${'ab'.repeat(20)}`

describe('arguments', () => {
  test.each([
    ['uint256', [5n]],
    ['int8, uint64', [-5, '18446744073709551615']],
    ['address, bool', [address, true]],
    ['bytes4, bytes32', ['0x01020304', `0x${'12'.repeat(32)}`]],
    ['string, bytes', ['a text with ä', '0x0102']],
    [
      'uint256[], string[2]',
      [
        [1n, 2n, 3n],
        ['one', 'a longer text than one word has, so that it takes two words'],
      ],
    ],
    [
      '(uint256, string)[], uint8[2][]',
      [
        [[7n, 'x']],
        [
          [1, 2],
          [3, 4],
        ],
      ],
    ],
    [
      '(address, (bool, bytes)[2])',
      [
        [
          address,
          [
            [true, '0x'],
            [false, '0xff'],
          ],
        ],
      ],
    ],
  ] as const)('of the types %s are encoded as by another encoder, and can be read again', (types, values) => {
    const fields = parseFunction(`function f(${types})`, 'calls').inputs
    const encoded = encodeValues(fields, values, 'arguments[0]')
    const asNumbers = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(asNumbers)
        : typeof value === 'string' && /^\d+$/.test(value)
          ? BigInt(value)
          : value
    const expected = AbiParameters.encode(
      AbiFunction.from(`function f(${types})`).inputs as any,
      (values as readonly unknown[]).map(asNumbers) as any,
    )
    expect(`0x${encoded.toString('hex')}`).toBe(expected)
    const read = JSON.parse(valuesReader(fields)(encoded))
    const flat = (value: unknown): unknown[] =>
      typeof value === 'object' && value !== null
        ? Object.values(value).flatMap(flat)
        : [typeof value === 'boolean' ? value : String(value)]
    expect(flat(read)).toEqual(flat(values))
  })

  test('of a tuple may be an object', () => {
    const { inputs } = parseFunction('function f((uint256 id, string name) item)', 'calls')
    expect(encodeValues(inputs, [{ id: '0x10', name: 'x' }], '')).toEqual(encodeValues(inputs, [[16, 'x']], ''))
  })

  test.each([
    ['uint8', [256], 'arguments[0][0] must be uint8'],
    ['uint8', [-1], 'must be uint8'],
    ['int8', [128], 'must be int8'],
    ['uint256', [1.5], 'must be uint256'],
    ['address', ['0x12'], 'must be address: 0x and 40 hexadecimal digits'],
    ['bytes', ['0x1'], 'an even number of hexadecimal digits'],
    ['bool', [1], 'must be true or false'],
    ['string', [1], 'must be a text'],
    ['uint8[2]', [[1]], 'must be a list of 2'],
    ['(uint8, uint8)', [[1]], 'has 1 values, but there are 2 parameters'],
    ['uint8, uint8', [1], 'has 1 values, but there are 2 parameters'],
  ])('of the types %s may not be %j', (types, values, message) => {
    const { inputs } = parseFunction(`function f(${types})`, 'calls')
    expect(() => encodeValues(inputs, values, 'arguments[0]')).toThrow(message)
  })
})

describe('a function', () => {
  test('has a selector, and a text without the names that do not change its calls', () => {
    const transfer = parseFunction('function transfer(address to, uint amount) external returns (bool);', 'calls')
    expect(selectorOf(transfer).toString('hex')).toBe('a9059cbb')
    expect(functionText(transfer)).toBe('function transfer(address to, uint256 amount) returns (bool)')
    expect(parseFunction(functionText(transfer), '')).toEqual(transfer)
    expect(functionText(parseFunction('function f()', ''))).toBe('function f()')
  })

  test.each([
    ['event Transfer(address to)', 'it must begin with "function "'],
    ['function f(uint7 a)', 'calls[0]'],
    ['function f(fixed128x18 a)', 'fixed-point types are not supported'],
    ['balanceOf(address)', 'wrong signature'],
  ])('with a mistake is refused: %s', (text, message) => {
    expect(() => parseFunction(text, 'calls[0]')).toThrow(message)
  })
})
