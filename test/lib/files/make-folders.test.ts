import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { makeFolders } from '../../../src/lib/files/make-folders.ts'

const base = mkdtempSync(join(tmpdir(), 'chainlake-folders-'))
afterAll(() => rmSync(base, { recursive: true }))

test('makes what is missing, also when several do it at once', async () => {
  const folder = join(base, 'a', 'b', 'c')
  await Promise.all([makeFolders(folder), makeFolders(folder), makeFolders(join(base, 'a', 'd'))])
  expect(existsSync(folder)).toBe(true)
  await makeFolders(folder)
})

test('says that a file is in the way', async () => {
  writeFileSync(join(base, 'file'), '')
  await expect(makeFolders(join(base, 'file'))).rejects.toMatchObject({ code: 'EEXIST' })
  await expect(makeFolders(join(base, 'file', 'below'))).rejects.toMatchObject({ code: 'ENOTDIR' })
})

test('ends where no folder can be made', async () => {
  await expect(makeFolders('/proc/lake/below')).rejects.toMatchObject({
    code: expect.stringMatching(/^(ENOENT|EROFS|EACCES)$/),
  })
})
