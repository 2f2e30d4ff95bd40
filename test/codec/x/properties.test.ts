import { describe, test } from 'vitest'
import { type Schema, versioned } from '../../../codec/linear/index.ts'
import { xBlock } from '../../../codec/x/blocks.ts'
import { xUtxo } from '../../../codec/x/parts.ts'
import { signedXTx } from '../../../codec/x/transactions.ts'
import { xVertex } from '../../../codec/x/vertices.ts'
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
