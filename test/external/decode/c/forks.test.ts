import { describe, expect, test } from 'vitest'
import { containerId } from '../../../../src/codec/container-id.ts'
import { decodeCContainer } from '../../../../src/decode/c/container.ts'
import { decodeCSenders } from '../../../../src/decode/c/senders.ts'
import type { Container } from '../../../../src/model.ts'
import { contextOf } from '../../../decode/recordings.ts'
import { bytesOf, vectorsOf } from '../../codec/vectors.ts'

const context = contextOf('granite', 'C')

/** A block vector as a container of before the wrapper. */
function containerOf(hex: string, index: number): Container {
  const bytes = bytesOf(hex)
  return { index, id: containerId(bytes), acceptedAtNs: 0n, bytes }
}

describe('C blocks of every fork', () => {
  test.each(vectorsOf('c-block').map((vector, i) => [vector.name, vector, i] as const))(
    'rows of %s',
    (_, { hex, expected }, i) => {
      const { hash, headerFields, number, txHashes, txTypes } = expected
      const { blocks, transactions, atomicTransactions } = decodeCContainer(containerOf(hex, i), context)
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

  test('each of one chain names the one before, and its transactions have senders that count their nonces', () => {
    const chain = vectorsOf('c-block').filter(({ name }) => /^coreth \w+ #\d+/.test(name))
    const blocks = chain.map(({ hex }, i) => decodeCContainer(containerOf(hex, i), context).blocks[0]!)
    expect(blocks.length).toBe(22)
    for (const [i, { parent_hash }] of blocks.entries()) if (i > 0) expect(parent_hash).toBe(blocks[i - 1]!.block_hash)
    const next = new Map<string, bigint>()
    chain.forEach(({ hex }, i) => {
      const container = containerOf(hex, i)
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
