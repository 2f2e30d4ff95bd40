import { describe, expect, test } from 'vitest'
import { repeatedChain } from '../../bench/evm-chain.ts'
import { recordedEvmBlocks } from '../../bench/recorded-evm-blocks.ts'
import { readEvmBlock } from '../../src/decode/evm/blocks.ts'

const recorded = recordedEvmBlocks()
const chain = repeatedChain(recorded)
const numbers = Array.from({ length: 3 * recorded.length }, (_, number) => number)

describe('the EVM chain of the bench', () => {
  test('decodes to as many transactions and logs per block as the recorded blocks that it repeats', () => {
    const counts = numbers.map((number) => {
      const block = JSON.parse(chain.block(number))
      const receipts = JSON.parse(chain.receipts(number))
      const rows = readEvmBlock({ number, block, receipts }, { network: 'bench', chainId: '43112' })
      expect(rows.blocks[0]?.block_number).toBe(number)
      return [rows.transactions.length, rows.logs.length]
    })
    expect(counts).toEqual(
      numbers.map((number) => {
        const { receipts } = recorded[number % recorded.length]!
        return [receipts.length, receipts.reduce((sum, receipt) => sum + receipt['logs'].length, 0)]
      }),
    )
  })

  test('has a unique hash for each block and transaction, and each block names the previous one', () => {
    const blocks = numbers.map((number) => JSON.parse(chain.block(number)))
    for (const number of numbers.slice(1)) expect(blocks[number].parentHash).toBe(blocks[number - 1].hash)
    const hashes = blocks.flatMap(({ hash, transactions }) => [hash, ...transactions.map((each: any) => each.hash)])
    expect(new Set(hashes).size).toBe(hashes.length)
  })

  test('renumbers blocks, but no other field that happens to have the same number', () => {
    const others = (receipts: any) =>
      receipts.map(({ transactionIndex, gasUsed, logs }: any) => [
        transactionIndex,
        gasUsed,
        logs.map(({ logIndex }: any) => logIndex),
      ])
    for (const number of numbers)
      expect(others(JSON.parse(chain.receipts(number)))).toEqual(others(recorded[number % recorded.length]!.receipts))
  })
})
