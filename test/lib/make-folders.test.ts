import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { makeFolders } from '../../src/lib/files.ts'

const base = mkdtempSync(join(tmpdir(), 'chainlake-folders-'))
afterAll(() => rmSync(base, { recursive: true }))

test('makeFolders creates missing folders, also concurrently', async () => {
  const folder = join(base, 'a', 'b', 'c')
  await Promise.all([makeFolders(folder), makeFolders(folder), makeFolders(join(base, 'a', 'd'))])
  expect(existsSync(folder)).toBe(true)
  await makeFolders(folder)
})

test('makeFolders fails if a file is in the way', async () => {
  writeFileSync(join(base, 'file'), '')
  await expect(makeFolders(join(base, 'file'))).rejects.toMatchObject({ code: 'EEXIST' })
  await expect(makeFolders(join(base, 'file', 'below'))).rejects.toMatchObject({ code: 'ENOTDIR' })
})

test('makeFolders fails if no folder can be created', async () => {
  await expect(makeFolders('/proc/lake/below')).rejects.toMatchObject({
    code: expect.stringMatching(/^(ENOENT|EROFS|EACCES)$/),
  })
})
