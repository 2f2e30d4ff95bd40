import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { restEvmBlocksPipeline } from '../../../pipelines/rest-evm-blocks.ts'
import { restTransactionsPipeline } from '../../../pipelines/rest-transactions.ts'
import { tables } from '../../../schemas/index.ts'
import { restEvmBlocks } from '../../../schemas/rest-tokens.ts'
import { restCAtomicTransactions, restPTransactions, restXTransactions } from '../../../schemas/rest-transactions.ts'
import { newLake } from '../../run/lake-run.ts'
import { type Requested, runService, settledRows } from '../../run/lists/devnet-jobs.ts'
import { createLake } from '../lake.ts'
import { newPlace } from './database.ts'
import { startProxy } from './proxy.ts'

let node: Devnet
beforeAll(async () => {
  node = await startDevnet({ seed: 11, blocks: 200 })
})
afterAll(() => node.close())

const paged = { network: 'local', 'page-size': 20, 'unit-pages': 3 }
const transactions = (blockchain: string, order = 'desc'): Requested => ({
  pipeline: restTransactionsPipeline,
  values: { ...paged, blockchain, 'sort-order': order },
})

test.each([
  ['the P chain, newest first', transactions('p-chain'), restPTransactions],
  ['the P chain, oldest first', transactions('p-chain', 'asc'), restPTransactions],
  ['the X chain', transactions('x-chain'), restXTransactions],
  ['the C chain', transactions('c-chain'), restCAtomicTransactions],
  [
    'blocks of the C chain',
    { pipeline: restEvmBlocksPipeline, values: { ...paged, 'chain-id': '43112' } },
    restEvmBlocks,
  ],
])('a connection that breaks during a commit loses no row: %s', async (_, job, table) => {
  const quiet = newLake()
  await runService(node, quiet, [job])
  const expected = await settledRows(quiet, [table])

  const place = await newPlace()
  const proxy = await startProxy(place.url)
  await createLake({ folder: place.folder, catalog: proxy.url }, tables)
  void proxy.whenSaid('.parquet', () => proxy.breakAt('.parquet', 'before'))
  await expect(runService(node, place.folder, [job])).rejects.toMatchObject({
    code: 'catalog.unreachable',
    exitCode: 5,
    retryable: true,
  })
  await runService(node, place.folder, [job])
  expect(await settledRows(place.folder, [table])).toEqual(expected)
  await proxy.close()
})
