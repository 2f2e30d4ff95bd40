import { expect, test } from 'vitest'
import type { Catalog } from '../../src/catalog/catalog.ts'
import { serviceStream } from '../../src/define/index.ts'
import { streamId } from '../../src/model.ts'
import { repairLake } from '../../src/repair/repair-lake.ts'
import { factsOfStream } from '../lib/stream-of.ts'
import { commitTen } from './committed-lake.ts'
import { createLake, newLakeDir, tables } from './lake.ts'

/** A run that declares the stream `local/P/block` in the order of a node. */
async function startAt(catalog: Catalog, nodeId: string | null) {
  const facts = { pipeline: 'own', walk: 'range', unit: 'containers', tables: ['events'], trailing: 0 } as const
  const declared = factsOfStream('local/P/block', { ...facts, nodeId })
  return catalog.startRun({ streams: [], command: 'test', declares: [declared] })
}

test('rows in the order of one node are not continued from another node, until a repair has removed them', async () => {
  const lake = newLakeDir()
  const catalog = await createLake({ folder: lake }, tables)
  const recorded = async () => [...(await catalog.streams()).values()].map(({ nodeId }) => nodeId)
  await (await startAt(catalog, 'NodeID-a')).end('done')
  // Nothing is committed yet.
  await (await startAt(catalog, 'NodeID-b')).end('done')
  expect(await recorded()).toEqual(['NodeID-b'])
  const run = await startAt(catalog, 'NodeID-b')
  await commitTen(lake, catalog, run, 0)
  await run.end('done')
  await (await startAt(catalog, null)).end('done')
  await expect(startAt(catalog, 'NodeID-a')).rejects.toMatchObject({
    code: 'catalog.other-source',
    details: { stream: 'local/P/block', 'node of the lake': 'NodeID-b', 'this node': 'NodeID-a' },
    hint: expect.stringContaining('`chainlake repair --stream local/P/block`'),
  })
  expect(await recorded()).toEqual(['NodeID-b'])
  const slice = { from: 0, to: Number.MAX_SAFE_INTEGER }
  const requested = { stream: 'local/P/block', slice, tables: null }
  await repairLake({ lake: { folder: lake }, requested, stop: new AbortController().signal })
  await (await startAt(catalog, 'NodeID-a')).end('done')
  expect(await recorded()).toEqual(['NodeID-a'])
})

test('the catalog has streams by their columns: lists are whole there, and shortened in the text', async () => {
  const catalog = await createLake({ folder: newLakeDir() }, tables)
  const wallets = Array.from({ length: 40 }, (_, at) => `0x${String(at).padStart(40, '0')}`)
  const stream = serviceStream('fuji', 'balances', { wallets, currency: 'usd' }, '43113')
  const index = { network: 'fuji', path: 'P/block', kind: 'block', chain: 'P', parameters: {} }
  await (await catalog.startRun({ streams: [stream, index], command: 'test' })).end('done')
  await (await catalog.startRun({ streams: [stream], command: 'test' })).end('done')
  const found = [...(await catalog.streams()).entries()]
  expect(found).toMatchObject([
    ['fuji/P/block', { ...index, pipeline: null }],
    [
      expect.stringMatching(/^fuji\/balances\/43113\?currency=usd&wallets=0x0{40}\+39:[0-9a-f]{16}$/),
      { network: 'fuji', kind: 'balances', chain: '43113', parameters: { wallets, currency: 'usd' } },
    ],
  ])
  expect(found.map(([, each]) => streamId(each))).toEqual(found.map(([text]) => text))
})
