import { describe, expect, test } from 'vitest'
import { containerId, unwrap, wrap } from '../../../codec/containers.ts'
import { sha256 } from '../../../codec/hash.ts'
import { encodeCb58, nodeIdText, txIdInBlock, utxoId } from '../../../codec/ids.ts'
import { decodeExactly, decodeWithSpans, encode, versioned } from '../../../codec/linear.ts'
import { pBlock, pUtxo, signedPTx, unsignedPTx } from '../../../codec/p.ts'
import { l1Message, unsignedWarpMessage, warpMessage, warpPayload } from '../../../codec/warp.ts'
import { checkVector } from '../check-vector.ts'
import { bytesOf, comparable, vectorsOf } from '../external-vectors.ts'
import { pGenesis } from './genesis.ts'

describe('P-Chain test vectors decode to the expected values', () => {
  test.each(vectorsOf('p-tx').map((v) => [v.name, v] as const))('signed transaction %s', (_, vector) => {
    const value = checkVector(signedPTx, vector.hex, vector.expected.decoded)
    expect(`p.${value.unsignedTx.type}`).toBe(vector.expected.type)
    expect(encodeCb58(sha256(bytesOf(vector.hex)))).toBe(vector.expected.txID)
  })

  test.each(vectorsOf('p-tx-unsigned').map((v) => [v.name, v] as const))('unsigned transaction %s', (_, vector) => {
    const value = checkVector(versioned(unsignedPTx), vector.hex, vector.expected.decoded)
    expect(`p.${value.type}`).toBe(vector.expected.type)
  })

  test.each(vectorsOf('p-block').map((v) => [v.name, v] as const))('block %s', (_, { hex, expected }) => {
    const block = checkVector(pBlock, hex, expected.decoded ?? comparable(decodeExactly(pBlock, bytesOf(hex), 'block')))
    expect(encodeCb58(sha256(bytesOf(hex)))).toBe(expected.blockID)
    if (expected.parentID !== undefined) expect(encodeCb58(block.parentID)).toBe(expected.parentID)
    const { spans } = decodeWithSpans(pBlock, bytesOf(hex), 'block')
    const ids = []
    for (let i = 0; i < spans.length; i += 2)
      ids.push(encodeCb58(txIdInBlock(bytesOf(hex).subarray(spans[i], spans[i + 1]))))
    expect(ids).toEqual(expected.txIDs)
  })

  test.each(vectorsOf('proposervm-block').map((v) => [v.name, v] as const))('wrapper %s', (_, { hex, expected }) => {
    const bytes = bytesOf(hex)
    const wrapper = unwrap(bytes)
    expect(wrapper.type).toBe(
      { SignedBlock: 'block', Option: 'option', GraniteBlock: 'granite' }[expected.type.slice(11) as 'Option'],
    )
    expect(containerId(bytes)).toBe(expected.id)
    expect(Buffer.from(wrapper.block).toString('hex')).toBe(expected.innerHex)
    expect(Buffer.from(wrap(wrapper)).toString('hex')).toBe(hex)
  })

  test.each(vectorsOf('p-genesis').map((v) => [v.name, v] as const))('genesis %s', (_, { hex, expected }) => {
    const genesis = decodeExactly(pGenesis, bytesOf(hex), 'genesis')
    expect(encodeCb58(sha256(bytesOf(hex)))).toBe(expected.genesisID)
    expect(Buffer.from(encode(pGenesis, genesis)).toString('hex')).toBe(hex)
    expect(genesis.utxos.length).toBe(expected.utxos)
    expect(genesis.validators.map((tx) => encodeCb58(sha256(encode(signedPTx, tx))))).toEqual(
      expected.validators.map((each: any) => each.txID),
    )
    expect(genesis.validators.map((tx) => nodeIdText((tx.unsignedTx as any).validator.nodeID))).toEqual(
      expected.validators.map((each: any) => each.nodeID),
    )
  })
})

/** The vectors have the type of a UTXO's output. Mint outputs are of the X-Chain. */
const pUtxoVectors = vectorsOf('utxo').filter(({ expected }) => expected.decoded.output._t !== 'secp256k1fx.MintOutput')

describe('UTXO and warp test vectors decode to the expected values', () => {
  test.each(pUtxoVectors.map((v) => [v.name, v] as const))('UTXO %s', (_, { hex, expected }) => {
    const utxo = checkVector(versioned(pUtxo), hex, expected.decoded)
    expect(encodeCb58(utxoId(utxo.txID, utxo.outputIndex))).toBe(expected.utxoID)
  })

  test.each(vectorsOf('warp-message').map((v) => [v.name, v] as const))('message %s', (_, { hex, expected }) => {
    const message = checkVector(warpMessage, hex, expected.decoded)
    const { networkID, sourceChainID, payload } = message
    expect(encodeCb58(sha256(encode(unsignedWarpMessage, { networkID, sourceChainID, payload })))).toBe(
      expected.messageID,
    )
    if (expected.payload === null) return
    const hexOfPayload = Buffer.from(payload).toString('hex')
    const call = checkVector(warpPayload, hexOfPayload, expected.payload)
    if (expected.l1Message !== null)
      checkVector(l1Message, Buffer.from(call.payload).toString('hex'), expected.l1Message)
  })

  test.each(vectorsOf('warp-l1-message').map((v) => [v.name, v] as const))('L1 message %s', (_, { hex, expected }) => {
    checkVector(l1Message, hex, expected.decoded)
  })
})
