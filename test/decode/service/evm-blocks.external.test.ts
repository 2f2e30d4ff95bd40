import { describe, expect, test } from 'vitest'
import { restEvmBlocksList } from '../../../pipelines/rest-evm-blocks.ts'
import { newestBlock } from '../../../pipelines/shared/block-window.ts'
import { restEvmBlocks } from '../../../schemas/rest-evm-blocks.ts'
import { sampleAnswer } from '../../external-data.ts'
import { testContext } from './reading.ts'

const decode = restEvmBlocksList({ network: 'mainnet', chain_id: '43114' })

describe('captured EVM blocks', () => {
  test('decode without a chain id, as in answers of 2024', () => {
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
      cumulative_transaction_count: 500325352,
      gas_used: 53608n,
      gas_limit: 15000000n,
      base_fee_per_gas: 25000000000n,
      base_fee_per_gas_raw: '25000000000',
      block_gas_cost: 0n,
      block_gas_cost_raw: '0',
      fees_spent: 1435117553916960n,
      fees_spent_raw: '1435117553916960',
      min_delay_excess: null,
    })
    expect(Object.keys(rows.blocks[0]!).sort()).toEqual(Object.keys(restEvmBlocks.columns).sort())
    expect(context.unknown).toEqual([])
  })

  test('give the newest block of the service', () => {
    expect(newestBlock('43114')(sampleAnswer('dataapi_evm_blocks'))).toBe(49889407)
  })
})
