import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { Inventory } from '../../../src/catalog/catalog.ts'
import { keptCatalogName } from '../../../src/catalog/place.ts'
import type { Store } from '../../../src/store/store.ts'
import { lastReplaced, verifyNamed } from '../../../src/verify/files.ts'

const lake = mkdtempSync(join(tmpdir(), 'chainlake-named-'))
afterAll(() => rmSync(lake, { recursive: true, force: true }))

const fileOf = (runId: string) => `data/p_blocks/network=local/000000000000-${runId}-0.parquet`
const [known, early, late] = ['20261101T000000000Zaaaaaa', '20261102T000000000Zbbbbbb', '20261104T000000000Zcccccc']
const restored = new Date('2026-11-03T00:00:00.000Z')

test('files of runs that a replaced catalog knew are no findings while it is kept, but other files are', async () => {
  const inventory = { tables: [], hidden: [], writing: new Set(), over: new Set([known]) } as unknown as Inventory
  const store = { sizes: async () => [] } as unknown as Store
  const verified = async () => {
    const paths = [...[known, early, late].map(fileOf), 'data/p_blocks/stray.parquet']
    const { findings, remarks } = await verifyNamed(paths, { store, inventory, replaced: await lastReplaced(lake) })
    return { wrong: findings.map(({ file }) => file), said: remarks.length }
  }
  const stray = 'data/p_blocks/stray.parquet'
  expect(await verified()).toEqual({ wrong: [fileOf(early), fileOf(late), stray], said: 1 })
  for (const time of [new Date('2026-10-01T00:00:00.000Z'), restored])
    writeFileSync(keptCatalogName(join(lake, 'catalog.ducklake'), time), '')
  expect(await verified()).toEqual({ wrong: [fileOf(late), stray], said: 2 })
})
