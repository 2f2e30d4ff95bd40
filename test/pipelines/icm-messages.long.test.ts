import { expect, test } from 'vitest'
import { startDevnet } from '../../devnet/serve.ts'
import { evmBlocksPipeline } from '../../pipelines/evm-blocks.ts'
import { restIcmMessagesPipeline } from '../../pipelines/rest-icm-messages.ts'
import { restIcmMessages } from '../../schemas/rest-networks.ts'
import { verifyLake } from '../../src/verify/verify-lake.ts'
import { newLake, query } from '../run/lake-run.ts'
import { runService, settledRows } from '../run/lists/devnet-jobs.ts'

test('messages that are delivered while the chain grows get a new version, and the others do not', async () => {
  const node = await startDevnet({ seed: 6, blocks: 250 })
  const lake = newLake()
  const job = { pipeline: restIcmMessagesPipeline, values: { network: 'local', 'page-size': 7, 'unit-pages': 4 } }
  const statuses = () =>
    query(lake, 'SELECT list(message_status ORDER BY observed_at) AS seen FROM rest_icm_messages GROUP BY message_id')
  await runService(node, lake, [job])
  expect((await statuses()).length).toBeGreaterThan(10)
  for (const blocks of [12, 40]) {
    await node.grow(blocks)
    await runService(node, lake, [job])
    const whole = newLake()
    await runService(node, whole, [job])
    expect(await settledRows(lake, [restIcmMessages])).toEqual(await settledRows(whole, [restIcmMessages]))
  }
  const seen = new Set((await statuses()).map((row) => String(row['seen'])))
  expect([...seen].sort()).toEqual(['delivered', 'delivered_source_not_indexed', 'pending', 'pending,delivered'])
  await runService(node, lake, [{ pipeline: evmBlocksPipeline, values: { finality: 0 } }])
  const { findings, remarks } = await verifyLake({ lake: { folder: lake } })
  expect(findings).toEqual([])
  const compared = remarks.filter(({ table }) => table === restIcmMessages.name).map(({ rows }) => rows?.alike)
  expect(compared).toEqual([expect.any(Number), expect.any(Number)])
  expect(Math.min(...(compared as number[]))).toBeGreaterThan(0)
  await node.close()
})
