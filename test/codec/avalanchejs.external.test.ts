import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { idText, utxoId } from '../../codec/ids.ts'
import { decodeExactly, encode, versioned } from '../../codec/linear.ts'
import { pUtxo, signedPTx, unsignedPTx } from '../../codec/p.ts'
import { l1Message, warpMessage } from '../../codec/warp.ts'
import { xUtxo, xVertex } from '../../codec/x.ts'
import { dataPath } from '../external-data.ts'
import { pvmSerial, Utxo, utils, type Vm } from './avalanchejs.ts'
import { compareSigned, compareUnsigned, type Encoded, eachIn, same } from './avalanchejs-compare.ts'
import { typedValue, valueOfAvalanchejs } from './avalanchejs-values.ts'
import { bytesOf, vectorsOf } from './external-vectors.ts'
import { atomicTransactionsIn, pTransactionsIn, transactionsInExtData, xTransactionsIn } from './transactions-in.ts'

/**
 * Vectors that avalanchejs has no types for: blocks, vertices, genesis, lists of transactions. The transactions in them are
 * compared. Blocks begin with a type id that avalanchejs does not have for this chain. The bytes of the others do not state their type.
 */
const notTransactions: Readonly<Record<string, Vm | null>> = {
  'p-block': 'PVM',
  'x-block': 'AVM',
  'c-block': 'EVM',
  'proposervm-block': 'PVM',
  'x-vertex': null,
  'p-genesis': null,
  'c-extdata-batch': null,
}

/** avalanchejs decodes BLS points, and the example key and the example signature in these two vectors are no points. */
const notPoints = ['warp.RegisterL1Validator payload_test.go:56', 'warp.Message undefined api.mdx:176']

function encodedOf(vm: Vm, ...kinds: string[]): Encoded[] {
  return vectorsOf(...kinds).map(({ name, hex }) => ({ name, vm, bytes: bytesOf(hex) }))
}

/** No vector is of this type. */
const advanceTime: Encoded = {
  name: 'AdvanceTimeTx',
  vm: 'PVM',
  bytes: encode(signedPTx, { unsignedTx: { type: 'AdvanceTimeTx', time: 1_607_144_400n }, credentials: [] }),
}

function txsOfVertex(bytes: Uint8Array): readonly Uint8Array[] {
  const vertex = decodeExactly(xVertex, bytes, 'vertex')
  return vertex.type === 'Vertex' ? vertex.txs : []
}

describe('avalanchejs and the codec', () => {
  test('decode signed transactions to the same values, and every type of the P-Chain is compared', () => {
    const inBlocks = eachIn(encodedOf('PVM', 'p-block'), pTransactionsIn)
    const ofP = [...encodedOf('PVM', 'p-tx'), ...inBlocks, advanceTime]
    const signed = [...ofP, ...encodedOf('AVM', 'x-tx'), ...encodedOf('EVM', 'c-tx')]
    const refused = signed.filter((each) => !compareSigned(each)).map(({ name }) => name)
    expect(refused).toEqual([
      'x.OperationTx with all five fx operations and three credential kinds',
      'x.CreateAssetTx with secp/nft/property initial states',
    ])
    const types = ofP.map(({ bytes, name }) => decodeExactly(signedPTx, bytes, name).unsignedTx.type)
    expect(new Set(types)).toEqual(new Set(Object.values(unsignedPTx.variants).map(({ type }) => type)))
  })

  test('decode unsigned transactions to the same values', () => {
    const kinds = [
      ['PVM', 'p-tx-unsigned'],
      ['AVM', 'x-tx-unsigned'],
      ['EVM', 'c-tx-unsigned'],
    ] as const
    for (const [vm, kind] of kinds) encodedOf(vm, kind).forEach(compareUnsigned)
  })

  test('decode the transactions in X and C blocks, vertices and batches to the same values', () => {
    const inBlocks = [
      ...eachIn(encodedOf('AVM', 'x-block'), xTransactionsIn),
      ...eachIn(encodedOf('AVM', 'x-vertex'), txsOfVertex),
      ...eachIn(encodedOf('EVM', 'c-block'), atomicTransactionsIn),
      ...eachIn(encodedOf('EVM', 'c-extdata-batch'), transactionsInExtData),
    ]
    const refused = inBlocks.filter((each) => !compareSigned(each)).map(({ name }) => name)
    expect(refused).toEqual(['x.StandardBlock with 5 txs, transaction 3', 'x.StandardBlock with 5 txs, transaction 4'])
  })

  test('decode UTXOs to the same values and ids', () => {
    for (const { name, hex, expected } of vectorsOf('utxo')) {
      const isP = expected.decoded.output._t === 'stakeable.LockOut'
      const value = decodeExactly<any>(versioned<any>(isP ? pUtxo : xUtxo), bytesOf(hex), name)
      const found = utils.getManagerForVM(isP ? 'PVM' : 'AVM').unpack(bytesOf(hex), Utxo)
      same(valueOfAvalanchejs(found, typedValue(value)), typedValue(value), name)
      expect(found.ID(), name).toBe(idText(utxoId(value.txID, value.outputIndex)))
    }
  })

  test('decode warp messages to the same values', () => {
    const { WarpMessage, AddressedCallPayloads, getWarpManager } = pvmSerial.warp
    const refused: string[] = []
    for (const { name, kind, hex } of vectorsOf('warp-message', 'warp-l1-message')) {
      const signed = kind === 'warp-message'
      const expected: any = typedValue(decodeExactly<any>(signed ? warpMessage : l1Message, bytesOf(hex), name))
      const payloads = {
        'warp.RegisterL1Validator': AddressedCallPayloads.RegisterL1ValidatorMessage,
        'warp.L1ValidatorWeight': AddressedCallPayloads.L1ValidatorWeightMessage,
      }
      const type = signed ? WarpMessage : payloads[expected.type as keyof typeof payloads]
      if (notPoints.includes(name)) {
        expect(() => getWarpManager().unpack(bytesOf(hex), type), name).toThrow()
        refused.push(name)
      } else same(valueOfAvalanchejs(getWarpManager().unpack(bytesOf(hex), type), expected), expected, name)
    }
    expect(refused).toEqual(notPoints)
  })

  test('are compared on every kind of vectors that avalanchejs can decode', () => {
    const compared = ['p-tx', 'x-tx', 'c-tx', 'p-tx-unsigned', 'x-tx-unsigned', 'c-tx-unsigned', 'utxo']
    const index: { kind: string }[] = JSON.parse(readFileSync(dataPath('vectors/index.json'), 'utf8'))
    expect(new Set(index.map(({ kind }) => kind))).toEqual(
      new Set([...compared, 'warp-message', 'warp-l1-message', ...Object.keys(notTransactions)]),
    )
    for (const [kind, vm] of Object.entries(notTransactions)) {
      for (const { name, bytes } of vm === null ? [] : encodedOf(vm, kind))
        expect(() => utils.getManagerForVM(vm!).unpackTransaction(bytes), name).toThrow(
          /unknown type ID|codec id\(\d+\) not found/,
        )
    }
  })
})
