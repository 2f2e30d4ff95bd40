import { afterAll, expect, test } from 'vitest'
import { evmStatePipeline } from '../../pipelines/evm-state.ts'
import { tables } from '../../schemas/index.ts'
import { openCatalog } from '../../src/catalog/catalog.ts'
import { repairLake } from '../../src/repair/repair-lake.ts'
import { verifyLake } from '../../src/verify/verify-lake.ts'
import { endNodes, granite, ofBlocks, run, serve } from '../pipelines/evm-log-runs.ts'
import { newLake, query } from '../run/lake-run.ts'

afterAll(endNodes)

const ofState = { pipeline: evmStatePipeline, values: {} }

test('verify remarks that a chain has two names, and repair --chain removes the rows of one', async () => {
  const folder = newLake()
  const lake = { folder }
  const stop = new AbortController().signal
  const chain = granite.slice(0, 30)
  const renamed = ({ method }: { readonly method: string }) =>
    method === 'eth_chainId' ? { result: '0x63' } : undefined
  const other = chain.map((each, at) =>
    at < 5 ? each : { ...each, block: { ...each.block, hash: `0x${'f'.repeat(64)}` } },
  )
  await run(folder, await serve({}, chain), ofBlocks())
  await run(folder, await serve({ interfere: renamed }, chain), ofBlocks({ to: 20 }), ofState)
  const names = () => query(folder, 'SELECT DISTINCT chain_id FROM evm_blocks ORDER BY ALL')
  expect(await names()).toEqual([{ chain_id: '43112' }, { chain_id: '99' }])
  const before = await verifyLake({ lake })
  expect(before.findings).toEqual([])
  expect(before.remarks.map(({ message }) => message)).toContainEqual(
    expect.stringContaining('evm-99/99 and local/43112 are one EVM chain'),
  )

  await expect(run(folder, await serve({ interfere: renamed }, other), ofState)).rejects.toMatchObject({
    code: 'catalog.other-source',
  })
  const requested = { network: 'evm-99', chainId: '99' }
  const kept = await repairLake({ lake, requested, stop })
  expect(kept.plan.lost.map(({ table }) => table.name)).toContain('node_evm_state')
  const catalog = await openCatalog(lake, tables)
  const isRenamed = ({ network }: { readonly network: string }) => network === 'evm-99'
  expect((await catalog.anchors()).filter(isRenamed)).not.toEqual([])
  await repairLake({ lake, requested, acceptLoss: true, stop })
  expect(await names()).toEqual([{ chain_id: '43112' }])
  expect((await catalog.anchors()).filter(isRenamed)).toEqual([])
  const after = await verifyLake({ lake })
  expect(after.findings).toEqual([])
  expect(after.remarks.filter(({ message }) => message.includes('one EVM chain'))).toEqual([])
  await run(folder, await serve({ interfere: renamed }, other), ofState)
  await expect(repairLake({ lake, requested: { network: 'no', chainId: '1' }, stop })).rejects.toMatchObject({
    code: 'config.stream',
  })
})
