import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { backUpLake, restoreCatalog } from '../../src/catalog/backup.ts'
import { lakeExists, openCatalog } from '../../src/catalog/catalog.ts'
import { createLake, newLakeDir, stream, tables } from './lake.ts'

test('a path with a question mark is refused before any file is created', async () => {
  const parent = dirname(newLakeDir())
  for (const lake of [join(parent, 'what?'), join(parent, 'what?', 'lake')])
    for (const use of [
      (path: string) => lakeExists({ folder: path }),
      (path: string) => createLake({ folder: path }, tables),
      (path: string) => openCatalog({ folder: path }, tables),
    ])
      await expect(use(lake)).rejects.toMatchObject({ code: 'lake.path', exitCode: 2, details: { path: lake } })
  const lakeDir = join(parent, 'lake')
  await createLake({ folder: lakeDir }, tables)
  const backup = join(parent, 'what?')
  for (const use of [
    () => backUpLake({ lake: { folder: lakeDir }, dir: backup }),
    () => restoreCatalog({ lake: { folder: lakeDir }, source: backup }),
  ])
    await expect(use()).rejects.toMatchObject({ code: 'lake.path' })
  expect(existsSync(join(parent, 'what?'))).toBe(false)
})

test('a URL is no folder of a backup', async () => {
  const lakeDir = join(dirname(newLakeDir()), 'lake')
  await createLake({ folder: lakeDir }, tables)
  await expect(backUpLake({ lake: { folder: lakeDir }, dir: 's3://bucket/backups' })).rejects.toMatchObject({
    code: 'backup.folder',
    exitCode: 2,
  })
  await expect(restoreCatalog({ lake: { folder: lakeDir }, source: 's3://bucket/backups' })).rejects.toMatchObject({
    code: 'restore.source',
    exitCode: 2,
  })
})

test.each(["it's", 'a*b', 'a[b]c', 'a#b', 'a\nb', '%20', 'back\\slash', '"', ';--', ':memory:', '\u0001', ' ~ '])(
  'a lake works in a folder named %j',
  async (name) => {
    const lake = join(dirname(newLakeDir()), name)
    const catalog = await createLake({ folder: lake }, tables)
    const run = await catalog.startRun({ streams: [stream], command: 'test' })
    await catalog.publishCopy()
    await run.end('done')
    expect(await catalog.snapshotId()).toBe(0)
  },
)
