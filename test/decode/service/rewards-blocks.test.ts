import { describe, expect, test } from 'vitest'
import { nodeBlocksList } from '../../../pipelines/node-blocks.ts'
import { pendingRewardsList } from '../../../pipelines/pending-rewards.ts'
import { rewardsList } from '../../../pipelines/rewards.ts'
import { newestVertexHeight, verticesList } from '../../../pipelines/vertices.ts'
import { restNodeBlocks, restPendingRewards, restRewards, restXVertices } from '../../../schemas/rest-transactions.ts'
import { id, nodeId, owner } from '../made-ids.ts'
import { expectFits } from './expect-fits.ts'
import { testContext } from './reading.ts'

const chain = { network: 'fuji', id: 'chain', alias: 'P', parts: { network: 'fuji' } } as const

describe('rewards', () => {
  const decode = rewardsList({ network: 'fuji', currency: 'eur' })
  const reward = {
    addresses: [`P-${owner('a')}`],
    txHash: id('staking'),
    amountStaked: '18446744073709551615',
    nodeId: nodeId('a'),
    startTimestamp: 1700000000,
    endTimestamp: 1700000009,
    rewardType: 'VALIDATOR_FEE',
    utxoId: id('utxo'),
    outputIndex: 2,
    rewardTxHash: id('paid'),
    reward: {
      assetId: id('coin'),
      name: 'Coin',
      symbol: 'CN',
      denomination: 9,
      type: 'secp256k1',
      amount: '12',
      historicalPrice: { currencyCode: 'eur', value: 9.6 },
    },
  }

  test('have every field, the requested currency and the currency of the price', () => {
    const context = testContext()
    const { rows, items } = decode({ historicalRewards: [reward] }, context)
    expect(context.unknown).toEqual([])
    expectFits(restRewards, rows.rewards!)
    expect(items).toEqual([{ key: id('utxo'), time: 1700000009 }])
    expect(rows.rewards).toEqual([
      {
        network: 'fuji',
        utxo_id: id('utxo'),
        currency: 'eur',
        tx_id: id('staking'),
        output_index: 2,
        node_id: nodeId('a'),
        addresses: [owner('a')],
        reward_type: 'VALIDATOR_FEE',
        start_time: 1_700_000_000_000_000n,
        end_time: 1_700_000_009_000_000n,
        staked_amount: 18446744073709551615n,
        reward_tx_id: id('paid'),
        asset_id: id('coin'),
        amount: 12n,
        asset_name: 'Coin',
        asset_symbol: 'CN',
        asset_denomination: 9,
        asset_type: 'secp256k1',
        price_currency: 'eur',
        price: 9.6,
      },
    ])
  })

  test('accept prices that are texts, and are refused without the id of their UTXO', () => {
    const price = { ...reward.reward, historicalPrice: { currencyCode: 'usd', value: '1.25' } }
    const { rows } = decode({ historicalRewards: [{ ...reward, reward: price }] }, testContext())
    expect(rows.rewards![0]).toMatchObject({ currency: 'eur', price_currency: 'usd', price: 1.25 })
    const { utxoId, ...rest } = reward
    expect(() => decode({ historicalRewards: [rest] }, testContext())).toThrow('historicalRewards[0].utxoId')
  })
})

describe('vertices', () => {
  const vertex = {
    vertexHash: id('vertex'),
    parentHashes: [id('a'), id('b')],
    vertexHeight: 12,
    vertexIndex: 3,
    vertexTimestamp: 1600000000,
    txCount: 1,
    transactions: [id('tx')],
    vertexSizeBytes: 400,
  }

  test('have every field', () => {
    const context = testContext()
    const { rows, items } = verticesList(chain)({ vertices: [vertex], chainInfo: { chainName: 'P-Chain' } }, context)
    expect(context.unknown).toEqual([])
    expectFits(restXVertices, rows.vertices!)
    expect(items).toEqual([{ key: id('vertex'), time: 1600000000 }])
    expect(rows.vertices).toEqual([
      {
        network: 'fuji',
        blockchain_id: 'chain',
        vertex_hash: id('vertex'),
        height: 12,
        vertex_index: 3,
        block_time: 1_600_000_000_000_000n,
        parent_hashes: [id('a'), id('b')],
        tx_count: 1,
        tx_ids: [id('tx')],
        byte_length: 400,
        chain_name: 'P-Chain',
      },
    ])
  })

  test('give the height of the newest one as the head', () => {
    expect(newestVertexHeight(chain)({ vertices: [vertex], nextPageToken: 'more' })).toBe(12)
    expect(newestVertexHeight(chain)({ vertices: [] })).toBeNull()
  })

  test.each(Object.keys(vertex))('are refused without %s; the error names the field', (field) => {
    const { [field as 'vertexHash']: _, ...rest } = vertex
    expect(() => verticesList(chain)({ vertices: [rest] }, testContext())).toThrow(`vertices[0].${field}`)
  })
})

describe('blocks of a node', () => {
  const block = {
    blockNumber: '500',
    blockHash: id('block'),
    parentHash: id('parent'),
    blockTimestamp: 1700000000,
    blockType: 'BanffStandardBlock',
    txCount: 2,
    transactions: [id('t'), id('u')],
    blockSizeBytes: 900,
  }
  const state = {
    l1ValidatorsAccruedFees: 18446744073709551615n,
    activeL1Validators: 7,
    currentSupply: '460000000000000000',
    proposerDetails: {
      proposerId: id('wrapper'),
      proposerParentId: id('wrapper before'),
      proposerNodeId: nodeId('a'),
      proposerPChainHeight: 499,
      proposerTimestamp: 1700000001,
    },
  }
  const decode = nodeBlocksList(chain, { node_id: nodeId('a') })

  test('have every field', () => {
    const context = testContext()
    const { rows, items } = decode(
      { blocks: [{ ...block, ...state }], chainInfo: { chainName: 'p-chain', network: 'fuji' } },
      context,
    )
    expect(context.unknown).toEqual([])
    expectFits(restNodeBlocks, rows.blocks!)
    expect(items).toEqual([{ key: id('block'), time: 1700000000 }])
    expect(rows.blocks).toEqual([
      {
        network: 'fuji',
        node_id: nodeId('a'),
        blockchain_id: 'chain',
        height: 500,
        block_time: 1_700_000_000_000_000n,
        block_id: id('block'),
        parent_id: id('parent'),
        block_type: 'BanffStandardBlock',
        tx_count: 2,
        tx_ids: [id('t'), id('u')],
        byte_length: 900,
        l1_validators_accrued_fees: 18446744073709551615n,
        active_l1_validator_count: 7,
        current_supply: 460000000000000000n,
        container_id: id('wrapper'),
        wrapper_parent_id: id('wrapper before'),
        proposer_node_id: nodeId('a'),
        wrapper_p_height: 499,
        wrapper_time: 1_700_000_001_000_000n,
        chain_name: 'p-chain',
      },
    ])
  })

  test('have nulls when the answer has no state and proposer', () => {
    const { rows } = decode({ blocks: [block] }, testContext())
    expectFits(restNodeBlocks, rows.blocks!)
    expect(rows.blocks).toMatchObject([
      { height: 500, container_id: null, current_supply: null, wrapper_time: null, chain_name: null },
    ])
  })

  test.each(Object.keys(block))('are refused without %s; the error names the field', (field) => {
    const { [field as 'blockHash']: _, ...rest } = block
    expect(() => decode({ blocks: [rest] }, testContext())).toThrow(`blocks[0].${field}`)
  })
})

describe('pending rewards', () => {
  // As the service answered in December 2025.
  const pending = {
    addresses: ['avax19zfygxaf59stehzedhxjesads0p5jdvfeedal0'],
    txHash: '2ukSToGPVgxHmgUzbGt3mJRVCJWV5nQv66uGirx38x7CxuuHmj',
    amountStaked: '701813645564',
    nodeId: 'NodeID-DaKj4jkyyCN4B5zVW65krECqpjxYGUFzX',
    startTimestamp: 1765251574,
    endTimestamp: 1766615565,
    progress: 0.0241,
    estimatedReward: {
      assetId: 'FvwEAhmxKfeiG8SnEvq42hc6whRyY3EFYAvebMqDNDGCgxN5Z',
      name: 'Avalanche',
      symbol: 'AVAX',
      denomination: 9,
      type: 'secp256k1',
      amount: '1585793298',
    },
    rewardType: 'DELEGATOR',
  }
  const decode = pendingRewardsList({ network: 'mainnet', subject: 'pending-rewards' })

  test('have every field of an answer', () => {
    const context = testContext()
    const { rows, items } = decode({ pendingRewards: [pending], nextPageToken: 'more' }, context)
    expect(context.unknown).toEqual([])
    expectFits(restPendingRewards, rows.rewards)
    expect(rows.rewards).toMatchObject([
      {
        tx_id: pending.txHash,
        reward_type: 'DELEGATOR',
        node_id: pending.nodeId,
        addresses: pending.addresses,
        staked_amount: 701813645564n,
        progress: 0.0241,
        estimated_reward: 1585793298n,
        asset_denomination: 9,
      },
    ])
    expect(items).toHaveLength(1)
  })

  test('are refused where a field lies', () => {
    const lie = { ...pending, estimatedReward: { ...pending.estimatedReward, amount: '1.5' } }
    expect(() => decode({ pendingRewards: [lie] }, testContext())).toThrow(
      expect.objectContaining({
        details: expect.objectContaining({ field: 'pendingRewards[0].estimatedReward.amount' }),
      }),
    )
  })
})
