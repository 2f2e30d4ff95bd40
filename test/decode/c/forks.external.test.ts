import { describe, expect, test } from 'vitest'
import { decodeCBlock, decodeExtData } from '../../../codec/c.ts'
import { containerId } from '../../../codec/containers.ts'
import { idText } from '../../../codec/ids.ts'
import { recoverPublicKey } from '../../../codec/secp256k1.ts'
import { createSenderReader, decodeCContainer } from '../../../src/decode/c/rows.ts'
import type { ChainContext, Container } from '../../../src/model.ts'
import { bytesOf, vectorsOf } from '../../codec/external-vectors.ts'
import * as recorded from '../recordings.ts'

const decodeCSenders = createSenderReader(recoverPublicKey)

/** The network that a block states: the vectors are of several networks. */
function contextOf({ bytes }: Container): ChainContext {
  const { block } = decodeCBlock(bytes, 'block')
  const [atomic] = decodeExtData(block.extData, 'block.extData').txs
  const stated =
    atomic === undefined
      ? {}
      : { networkId: atomic.unsignedTx.networkID, blockchainId: idText(atomic.unsignedTx.blockchainID) }
  return { ...recorded.contextOf('granite', 'C'), evmChainId: null, ...stated }
}

/** A block vector as a container from before the wrapper. */
function containerOf(hex: string, index: number): Container {
  const bytes = bytesOf(hex)
  return { index, id: containerId(bytes), acceptedAtNs: 0n, bytes }
}

describe('C blocks of every fork', () => {
  test.each(vectorsOf('c-block').map((vector, i) => [vector.name, vector, i] as const))(
    'give the expected rows: %s',
    (_, { hex, expected }, i) => {
      const { hash, headerFields, number, txHashes, txTypes } = expected
      const container = containerOf(hex, i)
      const { blocks, transactions, atomicTransactions } = decodeCContainer(container, contextOf(container))
      expect(blocks).toMatchObject([
        {
          block_hash: hash,
          header_field_count: headerFields,
          wrapper: 'none',
          wrapper_time: null,
          transaction_count: transactions.length,
          atomic_transaction_count: atomicTransactions.length,
          ...(number === undefined ? {} : { block_number: Number(number) }),
        },
      ])
      if (txHashes === undefined) return
      expect(transactions.map((row) => row.transaction_hash)).toEqual(txHashes)
      expect(transactions.map((row) => row.transaction_type)).toEqual(txTypes)
    },
  )

  test('of one chain name their parents, and the nonces of each sender are consecutive', () => {
    const chain = vectorsOf('c-block').filter(({ name }) => /^coreth \w+ #\d+/.test(name))
    const containers = chain.map(({ hex }, i) => containerOf(hex, i))
    const blocks = containers.map((container) => decodeCContainer(container, contextOf(container)).blocks[0]!)
    expect(blocks.length).toBe(22)
    for (const [i, { parent_hash }] of blocks.entries()) if (i > 0) expect(parent_hash).toBe(blocks[i - 1]!.block_hash)
    const next = new Map<string, bigint>()
    containers.forEach((container) => {
      const context = contextOf(container)
      const { transactions } = decodeCContainer(container, context)
      decodeCSenders(container, context).senders.forEach(({ from_address }, position) => {
        const { nonce } = transactions[position]!
        const known = next.get(from_address)
        if (known !== undefined) expect(nonce).toBe(known)
        next.set(from_address, nonce + 1n)
      })
    })
    expect(next.size).toBeLessThan(5)
  })
})
