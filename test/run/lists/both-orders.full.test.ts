import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { restTransactionsPipeline } from '../../../pipelines/rest-transactions.ts'
import { rewardsPipeline } from '../../../pipelines/rewards.ts'
import { restPTransactions, restRewards } from '../../../schemas/rest-transactions.ts'
import { newLake } from '../lake-run.ts'
import { listOf, type Requested, runService, settledRows } from './devnet-jobs.ts'

let node: Devnet
beforeAll(async () => {
  node = await startDevnet({ seed: 9, blocks: 250 })
})
afterAll(() => node.close())

test('lists that are read oldest first give the same rows as lists that are read newest first, each row once', async () => {
  const addresses = (await listOf(node, 'p')).slice(0, 64)
  const jobs = (order: string): Requested[] => {
    const values = { network: 'local', 'sort-order': order, 'unit-pages': 4, 'page-size': 40 }
    return [
      { pipeline: restTransactionsPipeline, values: { ...values, blockchain: 'p-chain' } },
      { pipeline: rewardsPipeline, values: { ...values, addresses } },
    ]
  }
  const rows = (lake: string) => settledRows(lake, [restPTransactions, restRewards])
  const [oldest, newest] = [newLake(), newLake()]
  await runService(node, oldest, jobs('asc'))
  await runService(node, newest, jobs('desc'))
  const expected = await rows(newest)
  expect(await rows(oldest)).toEqual(expected)
  await node.grow(60)
  // One lake resumes by its page token. In the other lake the order changes, so the run finds rows that are already stored.
  await runService(node, oldest, jobs('asc'))
  await runService(node, newest, jobs('asc'))
  const grown = await rows(oldest)
  expect(grown).not.toEqual(expected)
  expect(await rows(newest)).toEqual(grown)
})
