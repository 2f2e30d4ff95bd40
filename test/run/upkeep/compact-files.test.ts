import { expect, test } from 'vitest'
import { openCatalog } from '../../../src/catalog/catalog.ts'
import type { StreamDeclaration } from '../../../src/define/index.ts'
import { CatalogUnreachableError, LockedError } from '../../../src/errors.ts'
import { openCopier } from '../../../src/lookup/copy-files.ts'
import { compactTable, mergesOfAll } from '../../../src/run/upkeep/compact.ts'
import { strayFiles } from '../lake-run.ts'
import { items, newItemLake, rowsOf, runStream } from '../lists/item-lake.ts'
import { createListService, listOf } from '../lists/list-service.ts'

const newestFirst = Array.from({ length: 12 }, (_, index) => ({ id: `item-${11 - index}`, time: 1011 - index }))

/** A lake with several small files of one table. */
async function itemLake(): Promise<string> {
  const lake = newItemLake()
  const service = createListService(newestFirst, 3)
  const stream: StreamDeclaration = {
    stream: { network: 'test', path: 'items', parameters: {} },
    tables: { items },
    walk: { kind: 'pageChain', list: listOf(), trailing: 2 },
  }
  await runStream(lake, stream, service.client, { unitPages: 1 })
  return lake
}

/** Merges the files of a lake; `breaks` receives the function that replaces the files. */
async function merge(lake: string, breaks: (replace: () => Promise<number>) => Promise<number>): Promise<void> {
  const catalog = await openCatalog({ folder: lake }, [items])
  const { compaction, store } = catalog
  const run = await catalog.startRun({ streams: [], command: 'compact' })
  const copier = openCopier(lake, run.id, store)
  let parts = 0
  try {
    const replace: typeof compaction.replace = (replacement) => breaks(() => compaction.replace(replacement))
    await compactTable(items, {
      run: {
        catalog: { compaction: { ...compaction, replace } },
        store,
        copier,
        runId: run.id,
        nextPart: () => parts++,
        stop: new AbortController().signal,
      },
      plan: mergesOfAll,
      trailingOf: () => 0,
      merged: () => undefined,
    })
  } finally {
    await copier.close()
    await run.end('failed')
  }
}

const filesOf = async (lake: string) =>
  (await (await openCatalog({ folder: lake }, [items])).tableFiles(items.name)).files.length

test('merged files are kept when their commit took place before the failure', async () => {
  const lake = await itemLake()
  expect(await filesOf(lake)).toBe(4)
  const merging = merge(lake, async (replace) => {
    await replace()
    throw new CatalogUnreachableError('The answer to COMMIT did not come.')
  })
  await expect(merging).rejects.toThrow('did not come')
  expect(await filesOf(lake)).toBe(1)
  expect(await rowsOf(lake, items)).toHaveLength(12)
})

test('merged files that the catalog did not accept are removed', async () => {
  const lake = await itemLake()
  const merging = merge(lake, async () => {
    throw new LockedError('Another process holds the catalog.')
  })
  await expect(merging).rejects.toThrow('Another process')
  expect(await filesOf(lake)).toBe(4)
  expect(await strayFiles(lake)).toEqual([])
})
