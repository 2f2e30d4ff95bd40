import { describe, expect, test } from 'vitest'
import { plainContainerId } from '../../../codec/containers.ts'
import { encodeCb58, txIdInBlock, utxoId } from '../../../codec/ids.ts'
import { decodeExactly, decodeWithSpans, encode, versioned } from '../../../codec/linear.ts'
import { signedXTx, unsignedXTx, xBlock, xUtxo, xVertex } from '../../../codec/x.ts'
import { checkVector } from '../check-vector.ts'
import { bytesOf, vectorsOf } from '../external-vectors.ts'
import { pGenesis } from '../p/genesis.ts'
import { genesisAssetId, xGenesis } from './genesis.ts'

const xUtxoVectors = vectorsOf('utxo').filter(({ expected }) => expected.decoded.output._t !== 'stakeable.LockOut')

describe('X-Chain test vectors decode to the expected values', () => {
  test.each(vectorsOf('x-tx').map((v) => [v.name, v] as const))('signed transaction %s', (_, { hex, expected }) => {
    const value = checkVector(signedXTx, hex, expected.decoded)
    expect(`x.${value.unsignedTx.type}`).toBe(expected.type)
    expect(plainContainerId(bytesOf(hex))).toBe(expected.txID)
  })

  test.each(vectorsOf('x-tx-unsigned').map((v) => [v.name, v] as const))('unsigned %s', (_, { hex, expected }) => {
    expect(`x.${checkVector(versioned(unsignedXTx), hex, expected.decoded).type}`).toBe(expected.type)
  })

  test.each(vectorsOf('x-block').map((v) => [v.name, v] as const))('block %s', (_, { hex, expected }) => {
    const bytes = bytesOf(hex)
    const { value, spans } = decodeWithSpans(xBlock, bytes, 'block')
    expect(Buffer.from(encode(xBlock, value)).toString('hex')).toBe(hex)
    expect(plainContainerId(bytes)).toBe(expected.blockID)
    const ids = value.txs.map((_, i) => encodeCb58(txIdInBlock(bytes.subarray(spans[2 * i], spans[2 * i + 1]))))
    expect(ids).toEqual(expected.txIDs)
  })

  test.each(vectorsOf('x-vertex').map((v) => [v.name, v] as const))('vertex %s', (_, { hex, expected }) => {
    const vertex = decodeExactly(xVertex, bytesOf(hex), 'vertex')
    expect(Buffer.from(encode(xVertex, vertex)).toString('hex')).toBe(hex)
    expect(plainContainerId(bytesOf(hex))).toBe(expected.vertexID)
    if (vertex.type !== 'Vertex') return
    for (const tx of vertex.txs) expect(encode(signedXTx, decodeExactly(signedXTx, tx, 'tx'))).toEqual(tx)
    expect(vertex.txs.map(plainContainerId)).toEqual(expected.txIDs)
  })

  test.each(xUtxoVectors.map((v) => [v.name, v] as const))('UTXO %s', (_, { hex, expected }) => {
    const utxo = checkVector(versioned(xUtxo), hex, expected.decoded)
    expect(encodeCb58(utxoId(utxo.txID, utxo.outputIndex))).toBe(expected.utxoID)
  })

  test.each(vectorsOf('p-genesis').map((v) => [v.name, v] as const))('assets of %s', (_, { hex, expected }) => {
    const { chains } = decodeExactly(pGenesis, bytesOf(hex), 'genesis')
    const xChain = chains
      .map(({ unsignedTx }) => unsignedTx)
      .find((tx) => 'chainName' in tx && tx.chainName === 'X-Chain')
    if (xChain?.type !== 'CreateChainTx') throw new Error('no X chain')
    const assets = decodeExactly(xGenesis, xChain.genesisData, 'genesis')
    expect(encode(xGenesis, assets)).toEqual(xChain.genesisData)
    expect(
      assets.map((asset) => ({
        alias: asset.alias,
        name: asset.name,
        symbol: asset.symbol,
        denomination: asset.denomination,
        assetID: encodeCb58(genesisAssetId(asset)),
      })),
    ).toEqual(expected.xAssets)
  })
})
