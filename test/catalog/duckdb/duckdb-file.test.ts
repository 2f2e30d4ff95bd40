import { expect, test, vi } from 'vitest'
import { createLake, newLakeDir, tables } from '../lake.ts'

vi.mock('../../../src/lib/files.ts', async (original) => ({
  ...(await original<object>()),
  syncFolder: async () => {
    throw Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO' })
  },
}))

test('a lake is not created if the name of its catalog cannot be made durable: a power cut would lose the catalog', async () => {
  await expect(createLake({ folder: newLakeDir() }, tables)).rejects.toMatchObject({ exitCode: 5 })
})
