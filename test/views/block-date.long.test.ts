import { expect, test } from 'vitest'
import { startDevnet } from '../../devnet/serve.ts'
import { cBlocksPipeline } from '../../pipelines/c-blocks.ts'
import { evmBlocksPipeline } from '../../pipelines/evm-blocks.ts'
import { pBlocksPipeline } from '../../pipelines/p-blocks.ts'
import { xBlocksPipeline } from '../../pipelines/x-blocks.ts'
import { exportLake } from '../run/export-lake.ts'
import { jobOf } from '../run/job-of.ts'
import { newLake } from '../run/lake-run.ts'
import { rowsInZones } from './read-in-zones.ts'
import { rowsOf } from './test-lake.ts'

/** Views in one query. All views at once need more memory than a query may use. */
const viewsTogether = 8

test('block_date of a simulated network is the UTC date of the time, in three time zones and by three clients', async () => {
  const lake = newLake()
  const node = await startDevnet({ port: 0, blocks: 300 })
  const jobs = [pBlocksPipeline, xBlocksPipeline, cBlocksPipeline, evmBlocksPipeline].map((pipeline) => jobOf(pipeline))
  await exportLake({ node, lake, jobs }).finally(() => node.close())
  const views = await rowsOf(
    lake,
    `SELECT table_name AS name, CASE WHEN bool_or(column_name = 'known_time') THEN 'known_time' ELSE 'block_time' END AS time
     FROM duckdb_columns() WHERE NOT internal GROUP BY ALL HAVING bool_or(column_name = 'block_date') ORDER BY ALL`,
  )
  const each = views.map(
    ({ name, time }) => `SELECT '${name}' AS name, epoch_us(${time})::VARCHAR AS micros, block_date FROM ${name}`,
  )
  let count = 0
  for (let at = 0; at < each.length; at += viewsTogether) {
    const some = each.slice(at, at + viewsTogether)
    const answers = await rowsInZones(lake, `SELECT DISTINCT * FROM (${some.join('\nUNION ALL\n')}) ORDER BY ALL`)
    expect(answers).toHaveLength(9)
    count += answers[0]!.length
    for (const rows of answers)
      expect(rows).toEqual(rows.map((row) => ({ ...row, block_date: dateOf(row['micros'] as string | null) })))
  }
  expect(count).toBeGreaterThan(1000)
})

function dateOf(micros: string | null): string | null {
  return micros === null ? null : new Date(Number(BigInt(micros) / 1000n)).toISOString().slice(0, 10)
}
