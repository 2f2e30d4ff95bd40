import { expect, test } from 'vitest'
import { verifyLake } from '../../../src/verify/verify-lake.ts'
import { items, newItemLake, runStream } from '../../run/lists/item-lake.ts'
import { createListService, listOf } from '../../run/lists/list-service.ts'
import { filesOf, rewriteFile } from '../rewrite-file.ts'

test('verify names a file that lost rows by the number that its commit recorded', async () => {
  const lake = newItemLake()
  const service = createListService(
    [3, 2, 1].map((time) => ({ id: `item-${time}`, time })),
    10,
  )
  const walk = { kind: 'pageChain', list: listOf(), trailing: 0 } as const
  await runStream(
    lake,
    { stream: { network: 'test', path: 'list', parameters: {} }, tables: { items }, walk },
    service.client,
  )
  const [path = ''] = await filesOf(lake, items.name)
  await rewriteFile(lake, path, (rows) => rows.slice(1), { keepsCount: true })
  const { findings } = await verifyLake({ lake: { folder: lake } })
  expect(findings).toContainEqual(
    expect.objectContaining({ kind: 'catalog.rows', file: path, expected: '3 rows', found: '2 rows', rows: 1 }),
  )
})
