import { describe, expect, test } from 'vitest'
import { createLake, eventsPart, leaf, newLakeDir, stream, tables } from './lake.ts'
import { sql } from './sql.ts'

/** The bounds of the values from `min` to `max`, inclusive. */
const between = (column: string, min: bigint | number, max: bigint | number) => ({
  bounds: [
    { column, operator: '>=', value: min },
    { column, operator: '<=', value: max },
  ],
})

const microseconds = (text: string) => BigInt(Date.parse(text)) * 1000n

async function lakeOfEvents() {
  const lake = newLakeDir()
  const catalog = await createLake({ folder: lake }, tables)
  const run = await catalog.startRun({ streams: [stream], command: 'test' })
  const commit = (from: number, to: number, stats: Record<number, [string | null, string | null]> = {}) => {
    const part = eventsPart(run.id, from, to, from)
    const changed = part.stats.map((own) => {
      const bounds = stats[own.fieldId]
      return bounds === undefined ? own : leaf(own.fieldId, to - from, ...bounds)
    })
    return catalog.commit({
      runId: run.id,
      stream,
      tables: ['events'],
      parts: [{ ...part, stats: changed }],
      progress: { kind: 'none' },
      basis: null,
    })
  }
  const starts = async (options: Parameters<typeof catalog.tableFiles>[1]) => {
    const { files } = await catalog.tableFiles('events', options)
    return files.map(({ path }) => Number(/(\d{12})-/.exec(path)?.[1]))
  }
  return { lake, catalog, run, commit, starts }
}

describe('the files of a table', () => {
  test('are those of the latest snapshot', async () => {
    const { catalog, run, commit } = await lakeOfEvents()
    expect(await catalog.tableFiles('events')).toEqual({ snapshotId: 0, files: [] })
    expect(await catalog.tableFiles('nothing')).toEqual({ snapshotId: 0, files: [] })
    await commit(0, 10)
    await commit(10, 30)
    expect(await catalog.tableFiles('events')).toMatchObject({
      snapshotId: 2,
      files: [
        { path: eventsPart(run.id, 0, 10, 0).path, rows: 10 },
        { path: eventsPart(run.id, 10, 30, 10).path, rows: 20 },
      ],
    })
  })

  test('are selected by the statistics of a column, and files without statistics are included', async () => {
    const { starts, commit } = await lakeOfEvents()
    await commit(0, 10)
    await commit(10, 30)
    await commit(30, 31, { 2: [null, null], 3: ['2026-12-01 00:00:00+00', '2026-12-02 00:00:00.5+00'] })
    const heights = (min: bigint | number, max: bigint | number) => starts(between('height', min, max))
    expect(await heights(9, 9)).toEqual([0, 30])
    expect(await heights(9, 10n)).toEqual([0, 10, 30])
    expect(await heights(29n, 2n ** 70n)).toEqual([10, 30])
    expect(await heights(-5, -1)).toEqual([30])
    const times = (from: string, to: string) => starts(between('block_time', microseconds(from), microseconds(to)))
    expect(await times('2026-11-22T00:00:00Z', '2026-12-01T00:00:00Z')).toEqual([30])
    expect(await times('2026-11-21T10:45:00.500Z', '2026-11-30T00:00:00Z')).toEqual([0, 10])
    expect(await times('2026-11-21T10:45:00.501Z', '2026-11-30T00:00:00Z')).toEqual([])
    expect(await starts(between('not_yet_there', 0, 0))).toEqual([0, 10, 30])
    expect(await starts(between('network', 0, 0))).toEqual([0, 10, 30])
  })

  test('are found fast among 50,000 files', async () => {
    const { lake, starts, commit } = await lakeOfEvents()
    await commit(0, 10)
    await sql(
      lake,
      `INSERT INTO ducklake_data_file SELECT d.* REPLACE (range + 1 AS data_file_id, printf('x/%012d-x', range) AS path)
         FROM ducklake_data_file d, range(50000);
       INSERT INTO ducklake_file_column_stats SELECT s.* REPLACE (range + 1 AS data_file_id,
           (range * 10)::VARCHAR AS min_value, (range * 10 + 9)::VARCHAR AS max_value)
         FROM ducklake_file_column_stats s, range(50000)`,
    )
    const startedMs = performance.now()
    expect(await starts(between('height', 250_000, 250_015))).toEqual([25_000, 25_001])
    expect(performance.now() - startedMs).toBeLessThan(30_000)
  })
})
