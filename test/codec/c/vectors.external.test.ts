import { describe, expect, test } from 'vitest'
import {
  atomicTxBatch,
  type CBlockValue,
  cBlock,
  decodeCBlock,
  decodeExtData,
  type EvmTx,
  encodeExtData,
  evmTxBytes,
  signedAtomicTx,
  unsignedAtomicTx,
} from '../../../codec/c.ts'
import { containerId } from '../../../codec/containers.ts'
import { cHeader } from '../../../codec/evm/header.ts'
import { sha256 } from '../../../codec/hash.ts'
import { encodeCb58 } from '../../../codec/ids.ts'
import { keccak256 } from '../../../codec/keccak.ts'
import { encode, versioned } from '../../../codec/linear.ts'
import { checkVector } from '../check-vector.ts'
import { bytesOf, vectorsOf } from '../external-vectors.ts'

const typeNumbers = { LegacyTx: 0, AccessListTx: 1, DynamicFeeTx: 2 } as const

function hex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`
}

/** A value of an RLP struct as the vectors write it: bytes with `0x`, integers as text. Values of the RPC have numbers. */
function readable(value: unknown): unknown {
  if (value instanceof Uint8Array) return hex(value)
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return value.map(readable)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, readable(field)]))
}

/** The value with every number as text. */
function numbersAsText(value: any): any {
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return value.map(numbersAsText)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, numbersAsText(field)]))
}

function headerFacts(block: CBlockValue): object {
  const present = Object.entries(block.header).filter(([, value]) => value !== null)
  return {
    _n: String(present.length),
    hash: hex(keccak256(encode(cHeader, block.header))),
    ...(readable(Object.fromEntries(present)) as object),
  }
}

function chainIdOf(tx: EvmTx): bigint | null {
  if (tx.type !== 'LegacyTx') return tx.chainId
  return tx.v >= 35n ? (tx.v - 35n) / 2n : null
}

function word(value: bigint): string {
  return `0x${value.toString(16)}`
}

function txFacts(tx: EvmTx): object {
  const chainId = chainIdOf(tx)
  return {
    ...(readable(tx) as object),
    type: String(typeNumbers[tx.type]),
    r: word(tx.r),
    s: word(tx.s),
    chainId: chainId === null ? null : chainId.toString(),
    hash: hex(keccak256(evmTxBytes(tx))),
  }
}

function shortened(tx: any): any {
  return { ...tx, chainId: tx.chainId ?? null, r: word(BigInt(tx.r)), s: word(BigInt(tx.s)) }
}

describe('C-Chain test vectors decode to the expected values', () => {
  test.each(vectorsOf('c-block').map((v) => [v.name, v] as const))('block %s', (_, vector) => {
    const { expected } = vector
    const bytes = bytesOf(vector.hex)
    const { block, hash, transactionHashes } = decodeCBlock(bytes, 'block')
    expect(hex(hash)).toBe(expected.hash)
    expect(containerId(bytes)).toBe(encodeCb58(hash))
    expect(Buffer.from(encode(cBlock, block)).toString('hex')).toBe(vector.hex)
    expect(headerFacts(block)).toEqual(numbersAsText(expected.decoded.header))
    expect(block.transactions.map(txFacts)).toEqual(numbersAsText(expected.decoded.transactions).map(shortened))
    expect(transactionHashes.map(hex)).toEqual(expected.decoded.transactions.map((tx: any) => tx.hash))
    const extData = decodeExtData(block.extData, 'block.extData')
    expect(extData.txs.map((tx, i) => [encodeCb58(extData.txIds[i]!), `c.${tx.unsignedTx.type}`])).toEqual(
      (expected.atomicTxs ?? []).map(({ id, type }: any) => [id, type]),
    )
    expect(extData.encoding).toBe((expected.extDataEncoding ?? 'none').replace(/\(.*/, ''))
    expect(encodeExtData(extData)).toEqual(block.extData)
  })

  test.each(vectorsOf('c-tx').map((v) => [v.name, v] as const))('atomic transaction %s', (_, { hex, expected }) => {
    checkVector(signedAtomicTx, hex, expected.decoded)
    expect(encodeCb58(sha256(bytesOf(hex)))).toBe(expected.txID)
    expect(decodeExtData(bytesOf(hex), 'extData').encoding).toBe('single')
  })

  test.each(vectorsOf('c-tx-unsigned').map((v) => [v.name, v] as const))('unsigned %s', (_, { hex, expected }) => {
    expect(`c.${checkVector(versioned(unsignedAtomicTx), hex, expected.decoded).type}`).toBe(expected.type)
  })

  test.each(vectorsOf('c-extdata-batch').map((v) => [v.name, v] as const))('batch %s', (_, { hex, expected }) => {
    checkVector(atomicTxBatch, hex, expected.decoded.txs)
    expect(decodeExtData(bytesOf(hex), 'extData').txIds.map(encodeCb58)).toEqual(expected.txIDs)
  })
})
