import { describe, expect, test } from 'vitest'
import { restEvmBlocks } from '../../../schemas/rest-evm-blocks.ts'
import { decodeEvmBlocks, decodeEvmHead } from '../../../src/decode/service/evm-blocks.ts'
import { describeWithSharedData } from '../../shared-data.ts'
import { sampleAnswer, testContext } from './reading.ts'

const decode = decodeEvmBlocks({ network: 'mainnet', chainId: '43114' })

describeWithSharedData('captured EVM blocks', () => {
  test('decode, without a chain id as answers of 2024 are', () => {
    const context = testContext()
    const { rows, items, next } = decode(sampleAnswer('dataapi_evm_blocks'), context)
    expect(next).toBe('9f9e1d25-14a9-49f4-8742-fd4bf12f7cd8')
    expect(rows.blocks).toHaveLength(10)
    expect(items[0]).toEqual({ key: '49889407', time: 1724990250 })
    expect(rows.blocks[0]).toEqual({
      network: 'mainnet',
      chain_id: '43114',
      block_number: 49889407,
      block_time: 1_724_990_250_000_000n,
      block_hash: '0xd34becc82943e3e49048cdd3f75b80a87e44eb3aed6b87cc06867a7c3b9ee213',
      parent_hash: '0xf4917efb4628a1d8f4d101b3d15bce9826e62ef2c93c3e16ee898d27cf02f3d4',
      transaction_count: 1,
      cumulative_transactions: 500325352,
      gas_used: 53608n,
      gas_limit: 15000000n,
      base_fee_per_gas: 25000000000n,
      gas_cost: 0n,
      fees_spent: 1435117553916960n,
      min_delay_excess: null,
    })
    expect(Object.keys(rows.blocks[0]!).sort()).toEqual(Object.keys(restEvmBlocks.columns).sort())
    expect(context.unknown).toEqual([])
  })

  test('say how far the service is', () => {
    expect(decodeEvmHead(sampleAnswer('dataapi_evm_blocks'))).toBe(49889407)
  })
})

const block = {
  blockNumber: '7',
  blockTimestamp: 1700000000,
  blockHash: '0xAA',
  parentHash: '0xBB',
  txCount: 0,
}

describe('EVM blocks', () => {
  test('have what Granite added', () => {
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

  test('of another chain are refused; a chain that the job names by blockchain id is not compared', () => {
    const other = { blocks: [{ ...block, chainId: '43113' }] }
    expect(() => decode(other, testContext())).toThrow('The answer is about chain 43113, not 43114.')
    const byId = decodeEvmBlocks({ network: 'fuji', chainId: 'yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp' })
    expect(byId(other, testContext()).rows.blocks[0]!.chain_id).toBe(
      'yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp',
    )
  })

  test.each(['blockNumber', 'blockTimestamp', 'blockHash', 'parentHash', 'txCount'])('need %s', (name) => {
    const { [name]: _, ...rest } = block as Record<string, unknown>
    expect(() => decode({ blocks: [block, rest] }, testContext())).toThrow(
      `The answer lacks the field blocks[1].${name}.`,
    )
  })

  test('of an empty chain have no head', () => {
    expect(decodeEvmHead({ blocks: [] })).toBeNull()
    expect(() => decodeEvmHead({})).toThrow('The answer lacks the field blocks.')
  })
})
