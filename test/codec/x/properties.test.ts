import { describe, test } from 'vitest'
import { type Schema, versioned } from '../../../codec/linear.ts'
import { signedXTx, xBlock, xUtxo, xVertex } from '../../../codec/x.ts'
import { roundTrip } from '../round-trip.ts'
import { xGenesis } from './genesis.ts'

describe('the X-Chain codec', () => {
  test.each([
    ['X block', xBlock],
    ['signed X transaction', signedXTx],
    ['X genesis', xGenesis],
    ['X UTXO', versioned(xUtxo)],
    ['vertex', xVertex],
  ] as [string, Schema<any>][])('decodes any encoded value to the same value: %s', (_, schema) => roundTrip(schema, 40))
})
