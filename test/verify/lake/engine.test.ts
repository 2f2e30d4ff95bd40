import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openEngine } from '../../../src/verify/lake.ts'
import { newLake } from '../../run/lake-run.ts'

test('the engine of verify keeps no copy of the files that it reads: its memory does not grow with the lake', async () => {
  const engine = await openEngine(new AbortController().signal, '')
  try {
    const file = join(newLake(), '..', 'numbers.parquet')
    await engine.rows(`COPY (SELECT hash(n) AS h FROM range(200000) t(n)) TO '${file}'`)
    const [read] = await engine.rows(`SELECT count(DISTINCT h)::INTEGER AS n FROM '${file}'`)
    expect(read).toEqual({ n: 200_000 })
    const [cached] = await engine.rows(
      "SELECT memory_usage_bytes::INTEGER AS bytes FROM duckdb_memory() WHERE tag = 'EXTERNAL_FILE_CACHE'",
    )
    expect(cached).toEqual({ bytes: 0 })
  } finally {
    await engine.close()
  }
})
