import { describe, expect, test } from 'vitest'
import { restEvmBlocksList } from '../../../pipelines/rest-evm-blocks.ts'
import { newestBlock } from '../../../pipelines/shared/service.ts'
import { hash } from '../made-ids.ts'
import { testContext } from './reading.ts'

const decode = restEvmBlocksList({ network: 'mainnet', chain_id: '43114' })

const block = {
  blockNumber: '7',
  blockTimestamp: 1700000000,
  blockHash: hash('a'),
  parentHash: hash('b'),
  txCount: 0,
}

describe('EVM blocks', () => {
  test('have the fields that Granite added', () => {
    const granite = {
      ...block,
      chainId: '43114',
      blockTimestampMilliseconds: 1700000000999,
      blockMinDelayExcess: 7970124,
    }
    const { rows, items } = decode({ blocks: [granite] }, testContext())
    expect(rows.blocks[0]).toMatchObject({
      block_time: 1_700_000_000_999_000n,
      min_delay_excess: 7970124n,
      gas_used: null,
    })
    expect(items).toEqual([{ key: '7', time: 1700000000 }])
  })

  test('of another chain are refused, unless the job names its chain by blockchain id', () => {
    const other = { blocks: [{ ...block, chainId: '43113' }] }
    expect(() => decode(other, testContext())).toThrow('The answer is about chain 43113, not 43114.')
    const byId = restEvmBlocksList({ network: 'fuji', chain_id: 'yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp' })
    expect(byId(other, testContext()).rows.blocks[0]!.chain_id).toBe(
      'yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp',
    )
  })

  test('are refused where a block has another number than the parent of the one before it, on the same page or the next', () => {
    const parent = { ...block, blockHash: block.parentHash, parentHash: hash('c') }
    for (const blockNumber of ['5', '7', '1006']) {
      const lie = { ...parent, blockNumber }
      expect(() => decode({ blocks: [block, lie] }, testContext())).toThrow('blocks[1].blockNumber')
      const context = testContext()
      decode({ blocks: [block] }, context)
      expect(() => decode({ blocks: [lie] }, context)).toThrow('blocks[0].blockNumber')
    }
    // A page may begin with blocks of the page before it, and blocks may be missing.
    const others = [block, { ...parent, blockNumber: '6' }, block, { ...block, blockNumber: '3', blockHash: hash('d') }]
    expect(decode({ blocks: others }, testContext()).rows.blocks).toHaveLength(4)
  })

  test.each(['blockNumber', 'blockTimestamp', 'blockHash', 'parentHash', 'txCount'])('require %s', (name) => {
    const { [name]: _, ...rest } = block as Record<string, unknown>
    expect(() => decode({ blocks: [block, rest] }, testContext())).toThrow(`The answer has no field blocks[1].${name}.`)
  })

  test('give no head when the chain is empty', () => {
    expect(newestBlock('43114')({ blocks: [] })).toBeNull()
    expect(() => newestBlock('43114')({})).toThrow('The answer has no field blocks.')
  })
})
