import { describe, expect, test } from 'vitest'
import { wrapperSchema } from '../../../codec/containers.ts'
import { encode, type Schema, union, versioned } from '../../../codec/linear.ts'
import { pBlock, pUtxo, signedPTx, unsignedPTx } from '../../../codec/p.ts'
import { l1Message, unsignedWarpMessage, warpMessage, warpPayload } from '../../../codec/warp.ts'
import { roundTrip } from '../round-trip.ts'
import { pGenesis } from './genesis.ts'

describe('the P-Chain codec', () => {
  test.each(Object.entries(unsignedPTx.variants).map(([id, schema]) => [id, schema.type, schema] as const))(
    'decodes any encoded value to the same value: P transaction %s, %s',
    (_, __, schema) => roundTrip(union('transaction', { 1: schema }), 20),
  )
  test.each([
    ['P block', pBlock],
    ['signed P transaction', signedPTx],
    ['P genesis', pGenesis],
    ['P UTXO', versioned(pUtxo)],
    ['wrapper', wrapperSchema],
    ['unsigned warp message', unsignedWarpMessage],
    ['warp message', warpMessage],
    ['warp payload', warpPayload],
    ['L1 message', l1Message],
  ] as [string, Schema<any>][])('decodes any encoded value to the same value: %s', (_, schema) => roundTrip(schema, 40))

  test('refuses to encode a value that does not fit the schema', () => {
    const block = { type: 'ApricotCommitBlock', parentID: new Uint8Array(32), height: 1n } as const
    expect(() => encode(pBlock, { ...block, parentID: new Uint8Array(31) })).toThrow(RangeError)
    expect(() => encode(pBlock, { ...block, height: -1n })).toThrow(RangeError)
    expect(() => encode(pBlock, { ...block, height: 2n ** 64n })).toThrow(RangeError)
    expect(() => encode(pBlock, { ...block, type: 'NoBlock' } as never)).toThrow(RangeError)
  })
})
