import { describe, expect, test } from 'vitest'
import { containerId, type Wrapper, wrap } from '../../../codec/containers.ts'
import { encode } from '../../../codec/linear.ts'
import { type PBlockValue, type PTx, pBlock, type UnsignedPTx } from '../../../codec/p.ts'
import { decodePContainer } from '../../../src/decode/p/rows.ts'
import type { ChainContext } from '../../../src/model.ts'
import { contexts } from './recording.ts'

type PRows = ReturnType<typeof decodePContainer>

const parentID = new Uint8Array(32).fill(1)
const place = { parentID, height: 5n }
const noBytes = new Uint8Array()
const base = {
  networkID: contexts.granite.networkId,
  blockchainID: new Uint8Array(32),
  outputs: [],
  inputs: [],
  memo: noBytes,
}

function tx(unsignedTx: UnsignedPTx): PTx {
  return { unsignedTx, credentials: [] }
}

function advance(time: bigint): PTx {
  return tx({ type: 'AdvanceTimeTx', time })
}

function signedAt(time: bigint, block: Uint8Array): Wrapper {
  return { type: 'block', parentId: parentID, time, pHeight: 4n, certificate: noBytes, block, signature: noBytes }
}

function rowsOf(
  block: PBlockValue,
  wrapperOf: (block: Uint8Array) => Wrapper,
  context: ChainContext = contexts.granite,
): PRows {
  const bytes = wrap(wrapperOf(encode(pBlock, block)))
  return decodePContainer({ index: 4, id: containerId(bytes), acceptedAtNs: 1n, bytes }, context)
}

function blockTime(block: PBlockValue, wrapperOf: (block: Uint8Array) => Wrapper): bigint | null {
  return rowsOf(block, wrapperOf).blocks[0]!.block_time
}

const bare = (block: Uint8Array): Wrapper => ({ type: 'none', block })
const option = (block: Uint8Array): Wrapper => ({ type: 'option', parentId: parentID, block })
const wrapped = (block: Uint8Array): Wrapper => signedAt(1_650_000_000n, block)

describe('the time of a P-Chain block', () => {
  test('is its own time from Banff on', () => {
    expect(blockTime({ type: 'BanffCommitBlock', time: 1_700_000_000n, ...place }, option)).toBe(1_700_000_000_000_000n)
    expect(blockTime({ type: 'BanffStandardBlock', time: 7n, ...place, txs: [] }, wrapped)).toBe(7_000_000n)
  })

  test('comes from its AdvanceTimeTx before Banff, else from the wrapper, else it is null', () => {
    const proposal = { type: 'ApricotProposalBlock', ...place, tx: advance(1_600_000_000n) } as const
    expect(blockTime(proposal, wrapped)).toBe(1_600_000_000_000_000n)
    expect(blockTime(proposal, bare)).toBe(1_600_000_000_000_000n)
    expect(blockTime({ type: 'ApricotStandardBlock', ...place, txs: [] }, wrapped)).toBe(1_650_000_000_000_000n)
    expect(blockTime({ type: 'ApricotStandardBlock', ...place, txs: [] }, bare)).toBeNull()
    expect(blockTime({ type: 'ApricotAbortBlock', ...place }, option)).toBeNull()
  })

  test('a chain time after the year 9999 is null, and its seconds are kept', () => {
    const time = 2n ** 64n - 1n
    const row = rowsOf({ type: 'ApricotProposalBlock', ...place, tx: advance(time) }, bare).transactions[0]!
    expect(row).toMatchObject({ chain_time: null, chain_time_seconds: time, memo: null, burned: null })
    const last = rowsOf({ type: 'ApricotProposalBlock', ...place, tx: advance(253_402_300_799n) }, bare)
      .transactions[0]!
    expect(last.chain_time).toBe(253_402_300_799_000_000n)
  })
})

describe('the start time of a staking', () => {
  const staking = tx({
    type: 'AddSubnetValidatorTx',
    ...base,
    validator: { nodeID: new Uint8Array(20), start: 1_000n, end: 2n ** 64n - 1n, weight: 9n, subnetID: parentID },
    subnetAuthorization: { type: 'secp256k1fx.Input', signatureIndices: [] },
  })
  const block = { type: 'BanffStandardBlock', time: 5_000n, ...place, txs: [staking] } as const

  test.each([
    ['since Durango the block', 5_000, 5_000_000_000n],
    ['before it the stated one', 5_001, 1_000_000_000n],
    ['the stated one when nobody says when Durango was', null, 1_000_000_000n],
  ])('has the right source: %s', (_, durangoTime, start) => {
    const row = rowsOf(block, wrapped, { ...contexts.granite, durangoTime }).validations[0]!
    expect(row).toMatchObject({ start_time: start, stated_start: 1_000n, end_time: null, stated_end: 2n ** 64n - 1n })
  })

  test('the proposed transaction of a proposal block comes last', () => {
    const reward = tx({ type: 'RewardValidatorTx', txID: parentID })
    const rows = rowsOf({ type: 'BanffProposalBlock', time: 1n, txs: [staking], ...place, tx: reward }, wrapped)
    expect(rows.transactions.map((row) => [row.tx_index, row.tx_type])).toEqual([
      [0, 'AddSubnetValidatorTx'],
      [1, 'RewardValidatorTx'],
    ])
    expect(rows.blocks[0]!.tx_count).toBe(2)
  })
})
