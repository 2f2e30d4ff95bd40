import { expect, test } from 'vitest'
import { pBlocks, pTransactions } from '../../schemas/p-chain.ts'
import { publish, rowsOf, temporaryFolder, writeRows } from './test-lake.ts'

test('a day without fees burned nothing; a fee that is not known makes the sum of its day null', async () => {
  const lake = temporaryFolder()
  const on = (height: number, day: number) => ({ network: 'local', height, block_time: `2026-01-0${day} 00:00:00+00` })
  await writeRows(lake, pBlocks, 'data/p_blocks/rows.parquet', [
    { ...on(1, 1), block_type: 'BanffStandardBlock', tx_count: 2 },
    { ...on(2, 2), block_type: 'BanffProposalBlock', tx_count: 1 },
    { ...on(3, 3), block_type: 'BanffCommitBlock', tx_count: 0 },
    { ...on(4, 4), block_type: 'BanffStandardBlock', tx_count: 2 },
  ])
  const transaction = (at: object, tx_index: number, input_count: number, burned: number | null) => ({
    ...at,
    tx_index,
    tx_type: 'BaseTx',
    input_count,
    burned,
  })
  await writeRows(lake, pTransactions, 'data/p_transactions/rows.parquet', [
    transaction(on(1, 1), 0, 1, 7),
    transaction(on(1, 1), 1, 0, null),
    transaction(on(2, 2), 0, 0, null),
    transaction(on(4, 4), 0, 1, null),
    transaction(on(4, 4), 1, 1, 7),
  ])
  await publish(lake, {
    p_blocks: ['data/p_blocks/rows.parquet'],
    p_transactions: ['data/p_transactions/rows.parquet'],
  })
  expect(
    await rowsOf(lake, 'SELECT day(day)::INT AS day, burned_in_tokens * 1e9 AS burned FROM chain_daily ORDER BY ALL'),
  ).toEqual([
    { day: 1, burned: 7 },
    { day: 2, burned: 0 },
    { day: 3, burned: 0 },
    { day: 4, burned: null },
  ])
})
