import { describe, expect, test } from 'vitest'
import { fxId, fxOfId } from '../../../codec/fxs.ts'
import { encodeCb58 } from '../../../codec/ids.ts'
import { decodeExactly, encode } from '../../../codec/linear.ts'
import { signedXTx, xBlock, xBlockParent, xCodec } from '../../../codec/x.ts'
import { encoderOf, type FxName } from './encode-x.ts'

const orders: readonly (readonly FxName[])[] = [
  ['secp256k1fx'],
  ['nftfx', 'secp256k1fx'],
  ['propertyfx', 'secp256k1fx'],
  ['nftfx', 'propertyfx'],
  ['nftfx', 'propertyfx', 'secp256k1fx'],
  ['secp256k1fx', 'nftfx', 'propertyfx'],
  ['propertyfx', 'secp256k1fx', 'nftfx'],
]

const namesOf = {
  secp256k1fx: ['secp256k1fx.MintOutput', 'secp256k1fx.TransferOutput'],
  nftfx: ['nftfx.MintOutput', 'nftfx.TransferOutput'],
  propertyfx: ['propertyfx.MintOutput', 'propertyfx.OwnedOutput'],
}

describe.each(orders.map((order) => [order.join(', '), order] as const))('a chain with %s', (_, order) => {
  const bytes = encoderOf(order)
  const codec = xCodec(order)

  test('decodes its blocks and transactions by the type ids of its own order', () => {
    const block = decodeExactly(codec.block, bytes.block, 'block')
    expect(encode(codec.block, block)).toEqual(new Uint8Array(bytes.block))
    const [create, operate] = block.txs.map(({ unsignedTx }) => unsignedTx as any)
    const states = create.initialStates[0].outputs.map(({ type }: { type: string }) => type)
    expect(states.sort()).toEqual(order.flatMap((fx) => namesOf[fx]).sort())
    expect(operate.operations.map((one: any) => one.operation.type).sort()).toEqual(
      order
        .flatMap(
          (fx) =>
            ({
              secp256k1fx: ['secp256k1fx.MintOperation'],
              nftfx: ['nftfx.MintOperation', 'nftfx.TransferOperation'],
              propertyfx: ['propertyfx.MintOperation', 'propertyfx.BurnOperation'],
            })[fx],
        )
        .sort(),
    )
    expect(block.txs[0]!.credentials.map(({ type }) => type).sort()).toEqual(
      order.map((fx) => `${fx}.Credential`).sort(),
    )
    expect(xBlockParent(bytes.block)).toEqual(block.parentID)
    for (const tx of bytes.txs)
      expect(encode(codec.signedTx, decodeExactly(codec.signedTx, tx, 'tx'))).toEqual(new Uint8Array(tx))
  })

  test('decodes its UTXOs by the type ids of its own order', () => {
    const found = bytes.utxos.map((utxo) => decodeExactly(codec.utxo, utxo, 'utxo').output.type)
    expect([...found].sort()).toEqual(order.flatMap((fx) => namesOf[fx]).sort())
  })
})

test('the X-Chain of the primary network is decoded by the standard schemas', () => {
  const bytes = encoderOf(['secp256k1fx', 'nftfx', 'propertyfx'])
  const { block, signedTx } = xCodec(null)
  expect([block, signedTx]).toEqual([xBlock, signedXTx])
  expect(decodeExactly(xBlock, bytes.block, 'block').txs).toHaveLength(2)
})

test.each([
  ['output of unknown type 17', ['nftfx', 'propertyfx', 'secp256k1fx'] as const, 'utxos' as const],
  ['X block of unknown type 10', ['secp256k1fx'] as const, 'block' as const],
])('the standard codec refuses a chain with another order: %s', (message, order, what) => {
  const codec = xCodec(null)
  const bytes = encoderOf(order)
  // The secp256k1 transfer output.
  const read = () =>
    what === 'block'
      ? decodeExactly(codec.block, bytes.block, 'block')
      : decodeExactly(codec.utxo, bytes.utxos[0]!, 'utxo')
  expect(read).toThrow(message)
})

test('feature extensions have the ids of the node', () => {
  const ids = {
    spdxUxVJQbX85MGxMHbKw1sHxMnSqJ3QBzDyDYEP3h6TLuxqQ: 'secp256k1fx',
    qd2U4HDWUvMrVUeTcCHp6xH3Qpnn1XbU5MDdnBoiifFqvgXwT: 'nftfx',
    rXJsCSEYXg2TehWxCEEGj6JU2PWKTkd6cBdNLjoe2SpsKD9cy: 'propertyfx',
  } as const
  for (const [id, fx] of Object.entries(ids)) {
    expect(fxOfId(id)).toBe(fx)
    expect(encodeCb58(fxId(fx))).toBe(id)
  }
  expect(fxOfId('11111111111111111111111111111111LpoYY')).toBeNull()
})
