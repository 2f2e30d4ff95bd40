import { describe, expect, test } from 'vitest'
import { functionSignature, functionText, parseAbiFunctions, parseFunction } from '../../../src/decode/events/abi.ts'

const uint = (name: string) => ({ type: 'uint256', name })
const items = [
  { type: 'constructor', inputs: [uint('supply')] },
  { type: 'event', name: 'Set', inputs: [] },
  { type: 'function', name: 'price', inputs: [], outputs: [uint('')], stateMutability: 'view' },
  { type: 'function', name: 'half', inputs: [uint('x')], outputs: [uint('y')], stateMutability: 'pure' },
  { type: 'function', name: 'owner', outputs: [{ type: 'address' }], constant: true },
  {
    type: 'function',
    name: 'set',
    inputs: [{ type: 'tuple[2]', name: 'pairs', components: [uint('a'), { type: 'bool', name: '' }] }],
    outputs: [],
    stateMutability: 'nonpayable',
  },
]
const signatures = [
  'function price() view returns (uint256)',
  'function half(uint256 x) view returns (uint256 y)',
  'function owner() view returns (address)',
  'function set((uint256 a, bool)[2] pairs)',
]

describe('the functions of an ABI', () => {
  test.each([
    ['a list', items],
    ['the artifact of a compiler', { contractName: 'A', abi: items }],
    ['the metadata of a compiler', { output: { abi: items } }],
  ])('are read from %s', (_, json) => {
    expect(parseAbiFunctions(JSON.stringify(json), 'a.json').map(functionSignature)).toEqual(signatures)
  })

  test('are the same when their signatures are parsed', () => {
    const functions = parseAbiFunctions(JSON.stringify(items), 'a.json')
    expect(functions.map((each) => parseFunction(functionSignature(each), 'calls'))).toEqual(functions)
    expect(functions.map(functionText)).toEqual(signatures.map((text) => text.replace(' view', '')))
  })

  test.each([
    [[{ type: 'event', name: 'Set', inputs: [] }], 'a.json: the ABI declares no function.'],
    [[{ type: 'function', inputs: [] }], 'a.json: abi[0].name is malformed'],
    [[{ type: 'function', name: 'f', inputs: [{ name: 'x' }] }], 'a.json: abi[0].inputs[0].type is malformed'],
    [
      [{ type: 'function', name: 'f', inputs: [{ type: 'uint7' }] }],
      'a.json: abi[0].inputs[0].type "uint7" is no type',
    ],
    ['text', 'a.json: the file is no ABI.'],
  ])('are refused if malformed: %j', (json, message) => {
    expect(() => parseAbiFunctions(JSON.stringify(json), 'a.json')).toThrow(message)
  })
})
