import { chmodSync, chownSync, copyFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { restoreCatalog } from '../../src/catalog/backup.ts'
import { openCatalog } from '../../src/catalog/catalog.ts'
import { committedLake, failureOf, runOver } from './committed-lake.ts'
import { tables } from './lake.ts'

const isRoot = process.geteuid?.() === 0
const nobody = 65534

/** Runs the work without the rights of root, because root ignores file modes. */
async function asNormalUser<T>(work: () => Promise<T>): Promise<T> {
  if (isRoot) process.seteuid?.(nobody)
  try {
    return await work()
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
}

/** A published lake that the normal user owns. */
async function ownLake() {
  const { lake, catalog } = await committedLake(1)
  await catalog.publishCopy()
  // Temporary folders may be closed for other users.
  for (let folder = dirname(lake); (statSync(folder).mode & 0o001) === 0; folder = dirname(folder))
    chmodSync(folder, 0o711)
  for (const name of ['', ...readdirSync(lake, { recursive: true, encoding: 'utf8' })])
    if (isRoot) chownSync(join(lake, name), nobody, nobody)
  return { lake, file: join(lake, 'catalog.ducklake'), published: join(lake, 'lake.ducklake') }
}

test('a copy of lake.ducklake as the catalog can be written by the user who made it', async () => {
  const { lake, file, published } = await ownLake()
  await asNormalUser(async () => {
    rmSync(file)
    copyFileSync(published, file)
    expect(statSync(file).mode & 0o777).toBe(0o444)
    const catalog = await openCatalog({ folder: lake }, tables)
    // Reading has not changed the file.
    expect(statSync(file).mode & 0o777).toBe(0o444)
    await runOver({ lake, catalog }, 10, 1)
    expect(statSync(file).mode & 0o777).toBe(0o644)
  })
})

test('a copy made by another user is refused with a hint, and restore works', async () => {
  const { lake, file, published } = await ownLake()
  if (isRoot) chownSync(file, 0, 0)
  chmodSync(file, 0o444)
  await asNormalUser(async () => {
    const catalog = await openCatalog({ folder: lake }, tables)
    if (isRoot) {
      const error = await failureOf(runOver({ lake, catalog }, 10, 1))
      expect(error).toMatchObject({ name: 'StorageError', code: 'storage.read-only', exitCode: 5 })
      expect(error.hint).toContain(`chmod u+w ${file}`)
      expect(error.hint).toContain(`chainlake restore ${published}`)
    }
    const { before, kept } = await restoreCatalog({ lake: { folder: lake }, source: published, waitMs: 5_000 })
    expect(before?.snapshot.snapshotId).toBe(1)
    expect(kept).toHaveLength(1)
    await runOver({ lake, catalog }, 10, 1)
  })
})

test('a lake in a folder without write permission stays read-only', async () => {
  const { lake, file } = await ownLake()
  chmodSync(file, 0o444)
  chmodSync(lake, 0o555)
  await asNormalUser(async () => {
    const catalog = await openCatalog({ folder: lake }, tables)
    expect(await failureOf(runOver({ lake, catalog }, 10, 1))).toMatchObject({ code: 'storage.read-only' })
    expect(statSync(file).mode & 0o777).toBe(0o444)
  })
  chmodSync(lake, 0o755)
})
