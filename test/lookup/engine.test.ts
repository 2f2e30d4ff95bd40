import { expect, test } from 'vitest'
import { createEngine } from '../../src/lookup/engine.ts'
import type { Store } from '../../src/store/store.ts'
import { allRows } from './lake-files.ts'

test('files are held no longer than the attempt to read them, also where DuckDB cannot open', async () => {
  let held = 0
  const hold = async () => {
    held++
    return { release: async () => void held-- }
  }
  const store = { hold, sizes: async () => [null] } as unknown as Store
  const engine = createEngine({ lakeDir: '/nowhere', store, owner: 'someone', memory: 'no amount' })
  await expect(engine.within(['a.parquet'], async () => 1)).rejects.toThrow()
  await expect(allRows(engine.stream(['a.parquet'], async function* () {}))).rejects.toThrow()
  expect(held).toBe(0)
  await engine.close()
})
