import * as AbiEvent from 'ox/AbiEvent'
import { describe, expect, test } from 'vitest'
import { signatureOf, topicOf } from '../../../src/decode/events/abi.ts'
import { parseAbi, parseSignature } from '../../../src/decode/events/events.ts'

const transfer = 'event Transfer(address indexed from, address indexed to, uint256 value)'

test.each(['indexed', 'memory', 'storage', 'calldata', 'payable'])(
  'a parameter that a JSON ABI names %s, which Solidity cannot, keeps a name in the text that threads parse',
  (name) => {
    const inputs = [
      { name, type: 'address', indexed: true },
      { name: 'pair', type: 'tuple', indexed: false, components: [{ name, type: 'uint256' }] },
    ]
    const [event] = parseAbi(JSON.stringify([{ type: 'event', name: 'X', inputs }]), 'a.json')
    const written = signatureOf(event!)
    expect(written).toBe(`event X(address indexed ${name}_, (uint256 ${name}_) pair)`)
    expect(topicOf(parseSignature(written, 'events'))).toBe(topicOf(event!))
    expect(parseSignature(written, 'events').inputs.map((each) => [each.name, each.indexed])).toEqual([
      [`${name}_`, true],
      ['pair', false],
    ])
  },
)

describe('a signature', () => {
  test('gives the event and its topic', () => {
    const event = parseSignature(transfer, 'events')
    expect(topicOf(event)).toBe('0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')
    expect(event.inputs.map(({ name, indexed }) => [name, indexed])).toEqual([
      ['from', true],
      ['to', true],
      ['value', false],
    ])
  })

  test.each([
    ['  event   Transfer( address indexed from,address indexed to , uint value ) ; ', transfer],
    ['event Note(bytes4 indexed sig, bytes fax) anonymous', 'event Note(bytes4 indexed sig, bytes fax) anonymous'],
    [
      'event A((uint a, (bool b, string)[] c)[2] d, function f)',
      'event A((uint256 a, (bool b, string)[] c)[2] d, function f)',
    ],
    ['event Nothing()', 'event Nothing()'],
  ])('may be written as in Solidity: %s', (text, written) => {
    expect(signatureOf(parseSignature(text, 'events'))).toBe(written)
  })

  test('of a function value has the topic of its type', () => {
    const event = parseSignature('event A(function f)', 'events')
    expect(topicOf(event)).toBe(AbiEvent.getSelector({ type: 'event', name: 'A', inputs: [{ type: 'function' }] }))
  })

  test.each([
    ['function transfer(address to)', 'it must begin with "event "'],
    ['Transfer(address)', 'wrong signature'],
    ['event Transfer(address', 'unbalanced parentheses'],
    ['event Transfer(adress to)', 'unknown type "adress"'],
    ['event Rate(fixed128x18 rate)', 'fixed-point types are not supported'],
    ['event A(uint7 a)', 'unknown type "uint7"'],
    ['event A(uint8[0] a)', 'has no items'],
    ['event A(uint256[99999999][99999999] a)', 'is longer than any log'],
    ['event A(uint8 indexed a, uint8 indexed b, uint8 indexed c, uint8 indexed d)', 'at most four topics'],
  ])('with a mistake is refused: %s', (text, reason) => {
    expect(() => parseSignature(text, 'events[0]')).toThrow(reason)
    expect(() => parseSignature(text, 'events[0]')).toThrow(/^events\[0\]/)
  })
})

describe('an ABI', () => {
  const item = { type: 'event', name: 'Set', inputs: [{ name: 'value', type: 'uint256', indexed: false }] }
  const others = [
    { type: 'function', name: 'f', inputs: 'not read' },
    { type: 'error', name: 'E' },
    null,
    'text',
    { type: 'constructor' },
  ]

  test.each([
    ['a list', [...others, item]],
    ['the artifact of Hardhat or Foundry', { bytecode: '0x', abi: [...others, item] }],
    ['the metadata of solc', { output: { abi: [...others, item] } }],
  ])('may be %s; only its events are read', (_, json) => {
    expect(parseAbi(JSON.stringify(json), 'a.json').map(signatureOf)).toEqual(['event Set(uint256 value)'])
  })

  test.each([
    [
      { ...item, inputs: [{ name: 'a', type: 'ufixed8x1' }] },
      'a.json: abi[1].inputs[0].type is ufixed8x1: fixed-point types',
    ],
    [
      { ...item, inputs: [{ name: 'a', type: 'uint' }, { type: 'tuple[]' }] },
      'a.json: abi[1].inputs[1].components must list',
    ],
    [
      { ...item, inputs: [{ type: 'tuple', components: [{ type: 'x' }] }] },
      'a.json: abi[1].inputs[0].components[0].type "x" is no type',
    ],
    [{ ...item, inputs: [{ name: 'é', type: 'bool' }] }, 'a.json: abi[1].inputs[0].name must be letters'],
    [{ ...item, inputs: [{ name: 'a' }] }, 'a.json: abi[1].inputs[0].type is malformed'],
    [{ ...item, inputs: undefined }, 'a.json: abi[1].inputs is malformed'],
    [{ ...item, name: '' }, 'a.json: abi[1].name is malformed'],
  ])('with a malformed event is refused with its path', (event, message) => {
    expect(() => parseAbi(JSON.stringify([others[0], event]), 'a.json')).toThrow(message)
  })

  test.each(['', '{', '{"abi":{}}', 'null', '"text"'])('is no other text, such as %j', (text) => {
    expect(() => parseAbi(text, 'a.json')).toThrow('a.json: the file is no ABI.')
  })

  test('without events is refused, with a hint for proxies', () => {
    expect(() => parseAbi('[]', 'a.json')).toThrow('a.json: the ABI declares no event.')
  })
})
