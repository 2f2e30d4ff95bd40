import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { copyHeld } from '../../src/catalog/duckdb/catalog-lock.ts'
import { checkDisk } from '../../src/doctor/examine.ts'
import { copyToNew, setMode } from '../../src/lib/files.ts'
import { publish, rowsOf, temporaryFolder } from '../views/test-lake.ts'

const { refused } = vi.hoisted(() => {
  const refused = async (): Promise<never> => {
    throw Object.assign(new Error('EPERM: operation not permitted, chmod'), { code: 'EPERM' })
  }
  return { refused }
})

// A file system that refuses every mode. libuv refuses a copy that cannot get the mode of its source, after it has made the file.
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>()
  const copyFile: typeof real.copyFile = async (from, to, mode) => {
    await real.copyFile(from, to, mode)
    return refused()
  }
  return { ...real, chmod: refused, copyFile }
})

test('on a file system without modes, views are published and published again', async () => {
  const lake = temporaryFolder()
  await publish(lake, {}, 1)
  await publish(lake, {}, 2)
  expect(await rowsOf(lake, 'SELECT snapshot_id::int AS id FROM chainlake_lake')).toEqual([{ id: 2 }])
})

test('on a file system without modes, the catalog is copied', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chainlake-modes-'))
  const [from, to] = [join(folder, 'from'), join(folder, 'to')]
  writeFileSync(from, 'catalog')
  const handle = await open(from)
  const prototype = Object.getPrototypeOf(handle) as { chmod: () => Promise<void> }
  await handle.close()
  const spy = vi.spyOn(prototype, 'chmod').mockImplementation(refused)
  const closing: (() => Promise<void>)[] = []
  await copyHeld(from, to, 0o444, (close) => void closing.push(close))
  for (const close of closing) await close()
  expect(spy).toHaveBeenCalled()
  spy.mockRestore()
  expect(readFileSync(to, 'utf8')).toBe('catalog')
})

test('other errors are errors', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chainlake-modes-'))
  const handle = await open(join(folder, 'file'), 'w')
  await handle.close()
  await expect(setMode(handle, 0o444)).rejects.toMatchObject({ code: 'EBADF' })
  await expect(copyToNew(join(folder, 'gone'), join(folder, 'to'), 0)).rejects.toMatchObject({ code: 'ENOENT' })
})

test('doctor says that files keep their modes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chainlake-modes-'))
  const space = { freeBytes: 50e9, totalBytes: 100e9, freeFiles: 1000, kind: 0xef53 }
  const change = () => {
    throw Object.assign(new Error('not implemented'), { code: 'ENOSYS' })
  }
  expect([...checkDisk(folder, space, change)].map(({ verdict, code }) => `${verdict} ${code}`)).toEqual([
    'notice doctor.file-modes',
    'good doctor.disk',
  ])
  expect([...checkDisk(folder, space)].map(({ code }) => code)).toEqual(['doctor.disk'])
})
