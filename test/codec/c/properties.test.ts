import { describe, expect, test } from 'vitest'
import { atomicTxBatch, cBlock, evmTx, signedAtomicTx } from '../../../codec/c.ts'
import { cHeader } from '../../../codec/evm/header.ts'
import { decodeExactly, encode, type Schema } from '../../../codec/linear.ts'
import { rlpBytes, rlpList, rlpU64 } from '../../../codec/rlp.ts'
import { DecodeError } from '../../../src/errors.ts'
import { roundTrip } from '../round-trip.ts'

describe('the C-Chain codec', () => {
  test.each([
    ['C header', cHeader],
    ['EVM transaction', evmTx],
    ['C block', cBlock],
    ['atomic transaction', signedAtomicTx],
    ['batch of atomic transactions', atomicTxBatch],
    ['nested lists', rlpList(rlpList(rlpU64))],
  ] as [string, Schema<any>][])('decodes any encoded value to the same value: %s', (_, schema) => roundTrip(schema, 40))

  test('decodes RLP strings of lengths around the boundaries of the prefix', () => {
    for (const length of [0, 1, 2, 54, 55, 56, 255, 256, 65_535, 65_536, 100_000]) {
      const value = new Uint8Array(length).fill(200)
      expect(decodeExactly(rlpBytes, encode(rlpBytes, value), 'bytes')).toEqual(value)
      expect(decodeExactly(rlpList(rlpBytes), encode(rlpList(rlpBytes), [value, value]), 'list')).toEqual([
        value,
        value,
      ])
    }
  })
})

describe('RLP that no encoder writes', () => {
  test.each([
    ['a small byte behind a prefix', '8105', rlpBytes],
    ['a length that begins with zero', 'b90000', rlpBytes],
    ['a long form for a short string', 'b80100', rlpBytes],
    ['a cut string', '83aabb', rlpBytes],
    ['a list for a string', 'c0', rlpBytes],
    ['a string for a list', '80', rlpList(rlpU64)],
    ['an integer with a leading zero', '820001', rlpU64],
    ['zero as a byte', '00', rlpU64],
    ['nine bytes for a u64', '89010000000000000000', rlpU64],
    ['an item that reaches beyond its list', 'c28201', rlpList(rlpBytes)],
    ['bytes left over', 'c10180', rlpList(rlpU64)],
    ['a transaction of type 3', '8203c0', evmTx],
    ['a transaction of type 0', '8200c0', evmTx],
    ['an empty typed transaction', '80', evmTx],
    ['nothing', '', rlpBytes],
  ] as [string, string, Schema<any>][])('is refused: %s', (_, hex, schema) => {
    expect(() => decodeExactly(schema, Buffer.from(hex, 'hex'), 'value')).toThrow(DecodeError)
  })

  test('is refused when a header has an additional field', () => {
    const zero = new Uint8Array(32)
    const empty = {
      parentHash: zero,
      sha3Uncles: zero,
      miner: new Uint8Array(20),
      stateRoot: zero,
      transactionsRoot: zero,
    }
    const header = {
      ...empty,
      receiptsRoot: zero,
      logsBloom: new Uint8Array(256),
      ...{ difficulty: 1n, number: 1n, gasLimit: 1n, gasUsed: 1n, timestamp: 1n },
      extraData: new Uint8Array(),
      mixHash: zero,
      nonce: new Uint8Array(8),
      extDataHash: zero,
      ...{ baseFeePerGas: 1n, extDataGasUsed: 1n, blockGasCost: 1n, blobGasUsed: 1n, excessBlobGas: 1n },
      parentBeaconBlockRoot: zero,
      ...{ timestampMilliseconds: 1n, minDelayExcess: 1n, targetExponent: 1n, minPriceExponent: 1n },
      ...{ settledHeight: 1n, settledGasUnix: 1n, settledGasNumerator: 1n, settledExcess: 1n },
    }
    const bytes = encode(cHeader, header)
    expect(decodeExactly(cHeader, bytes, 'header')).toEqual(header)
    // For the additional item, the list length in the two-byte prefix grows by one.
    const longer = new Uint8Array([...bytes, 5])
    longer[2] = longer[2]! + 1
    expect(() => decodeExactly(cHeader, longer, 'header')).toThrow(/left over in an RLP list/)
  })
})
