import { expect, test } from 'vitest'
import { startDevnet } from '../../devnet/serve.ts'
import { dataPath } from '../external-data.ts'
import { exportLake } from './export-lake.ts'
import { newLake, query } from './lake-run.ts'
import { expectUniqueKeys } from './unique-keys.ts'

test('a lake of 221 containers of an unknown network has unique keys and all of their transactions', async () => {
  const node = await startDevnet({ replay: dataPath('real/p-chain-containers') })
  const lake = newLake()
  await exportLake({ node, lake }).finally(() => node.close())
  await expectUniqueKeys(lake)
  const [row] = await query(
    lake,
    `select count(*) as blocks, min(network) as network, max(height) as head,
       (select count(*) from p_transactions) as transactions, sum(tx_count) as stated,
       (select count(*) from p_blocks b join p_blocks a on a.height = b.height - 1 and a.block_id = b.parent_id) as joined
     from p_blocks`,
  )
  expect(row).toMatchObject({ blocks: '221', network: 'network-162', head: '221', joined: '220' })
  expect(row!['transactions']).toBe(row!['stated'])
})
