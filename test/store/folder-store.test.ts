import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { openFolderStore } from '../../src/store/folder-store.ts'

const synced: string[] = []
vi.mock(import('../../src/lib/files.ts'), async (original) => {
  const actual = await original()
  return {
    ...actual,
    syncFolder: async (path) => {
      synced.push(path)
      await actual.syncFolder(path)
    },
  }
})

const lake = mkdtempSync(join(tmpdir(), 'chainlake-folder-'))
afterAll(() => rmSync(lake, { recursive: true }))
beforeEach(() => {
  synced.length = 0
})

const folders = (...names: string[]) => names.map((name) => join(lake, name))

test('a new folder is synced until a file in it is durable, for every file in it', async () => {
  const store = openFolderStore(lake)
  const first = await store.create('x/y/z/1.parquet')
  const second = await store.create('x/y/2.parquet')
  await second.finish()
  expect(synced).toEqual(folders('x/y', 'x', '.'))
  synced.length = 0
  await first.finish()
  expect(synced).toEqual(folders('x/y/z', 'x/y'))
  synced.length = 0
  await (await store.create('x/y/3.parquet')).finish()
  expect(synced).toEqual(folders('x/y'))
})

test('a folder that another program created is also made durable, once', async () => {
  const store = openFolderStore(lake)
  mkdirSync(join(lake, 'others/2026'), { recursive: true })
  await (await store.create('others/2026/1.parquet')).finish()
  expect(synced).toEqual(folders('others/2026', 'others', '.'))
  synced.length = 0
  await (await store.create('others/2026/2.parquet')).finish()
  expect(synced).toEqual(folders('others/2026'))
})

test('links are not listed as files of a lake, but a file behind a link has its size', async () => {
  const store = openFolderStore(lake)
  mkdirSync(join(lake, 'elsewhere'))
  writeFileSync(join(lake, 'elsewhere/1.parquet'), 'one')
  mkdirSync(join(lake, 'data'))
  symlinkSync(join(lake, 'elsewhere'), join(lake, 'data/t'))
  symlinkSync(join(lake, 'elsewhere/1.parquet'), join(lake, 'data/2.parquet'))
  expect(await store.list('data/')).toEqual([])
  expect(await store.sizes(['data/t/1.parquet', 'data/2.parquet'])).toEqual([3, 3])
})
