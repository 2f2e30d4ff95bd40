import { expect, test } from 'vitest'
import { createLake, openCatalog } from '../../../src/catalog/catalog.ts'
import { fileFinder } from '../../../src/run/rows/list-batch.ts'
import { items, newItemLake, runStream } from '../lists/item-lake.ts'
import { createListService, listOf } from '../lists/list-service.ts'

const range = (min: number, max = min) => ({ column: 'item_time', min: BigInt(min), max: BigInt(max) })

/** Runs a stream that stores items with these times. */
async function store(lake: string, times: readonly number[]): Promise<void> {
  const list = times.map((time) => ({ id: `item-${time}`, time })).reverse()
  await runStream(
    lake,
    {
      stream: { network: 'local', path: `items/${times[0]}`, parameters: {} },
      tables: { items },
      walk: { kind: 'pageChain', list: listOf(), trailing: 0 },
    },
    createListService(list, 10).client,
  )
}

test('the catalog is queried again only for rows outside a known gap, and a new lookup finds later files', async () => {
  const lake = newItemLake()
  await createLake({ folder: lake }, [items])
  await store(lake, [1000, 1001, 1002])
  await store(lake, [2000, 2001])
  const catalog = await openCatalog({ folder: lake }, [items])
  let requested = 0
  const counted = {
    ...catalog,
    tableFiles: (...options: Parameters<typeof catalog.tableFiles>) => {
      requested++
      return catalog.tableFiles(...options)
    },
  }
  const filesFor = fileFinder({ catalog: counted })
  const first = await filesFor(items, range(1500, 1600))
  expect(first.files).toEqual([])
  expect(await filesFor(items, range(1003, 1999))).toEqual(first)
  expect(requested).toBe(1)
  expect((await filesFor(items, range(1002, 1500))).files).toHaveLength(1)
  expect((await filesFor(items, range(1500, 2000))).files).toHaveLength(1)
  expect(requested).toBe(3)
  await store(lake, [1700])
  // The answer keeps the snapshot from before the other commit, so that a commit of these rows compares them again.
  expect(await filesFor(items, range(1700))).toEqual(first)
  const later = await fileFinder({ catalog: counted })(items, range(1700))
  expect(later.files).toHaveLength(1)
  expect(later.snapshotId).toBeGreaterThan(first.snapshotId ?? -1)
})
