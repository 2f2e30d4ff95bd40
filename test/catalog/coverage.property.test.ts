import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CatalogError } from '../../src/errors.ts'
import { runs } from '../runs.ts'
import { createLake, endsOf, eventsPart, newLakeDir, stream, tables } from './lake.ts'
import { sql } from './sql.ts'

const attempts = fc.array(
  fc.record({
    from: fc.nat(30),
    length: fc.integer({ min: 1, max: 8 }),
    tables: fc.subarray(['events', 'names'], { minLength: 1 }),
    withIds: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
)

test('commits in any order cover each index at most once, and the row counts add up', async () => {
  await fc.assert(
    fc.asyncProperty(attempts, async (sequence) => {
      const lake = newLakeDir()
      const catalog = await createLake({ folder: lake }, tables)
      const run = await catalog.startRun({ streams: [stream], command: 'test' })
      const covered = { events: new Set<number>(), names: new Set<number>() }
      let commits = 0
      for (const { from, length, tables: chosen, withIds } of sequence) {
        const slice = { from, to: from + length }
        const indices = Array.from({ length }, (_, offset) => from + offset)
        const overlaps = chosen.some((name) => indices.some((index) => covered[name as 'events'].has(index)))
        const parts = chosen.includes('events') ? [eventsPart(run.id, from, from + length)] : []
        const ends = withIds ? endsOf(slice.from, slice.to) : null
        const result = await catalog
          .commit({
            runId: run.id,
            stream,
            tables: chosen,
            parts,
            progress: { kind: 'slice', slice, ends },
            basis: null,
          })
          .catch((error) => error)
        if (overlaps) {
          expect(result).toBeInstanceOf(CatalogError)
          expect(result.code).toBe('catalog.overlap')
          continue
        }
        expect(result).toBe(++commits)
        for (const name of chosen) for (const index of indices) covered[name as 'events'].add(index)
      }
      const coverage = await catalog.coverage(stream, ['events', 'names'])
      for (const name of ['events', 'names'] as const) {
        const slices = coverage.get(name)?.map(({ slice }) => slice) ?? []
        const indices = slices.flatMap(({ from, to }) =>
          Array.from({ length: to - from }, (_, offset) => from + offset),
        )
        expect(indices).toEqual([...covered[name]].sort((a, b) => a - b))
        // Adjacent slices are merged into one.
        for (const [position, slice] of slices.entries()) expect(slices[position + 1]?.from).not.toBe(slice.to)
      }
      const [sums] = await sql(
        lake,
        `select (select coalesce(sum(record_count), 0) from ducklake_table_stats)::int as total,
          (select coalesce(sum(record_count), 0) from ducklake_data_file)::int as files,
          (select coalesce(sum(row_count), 0) from chainlake.coverage)::int as coverage,
          (select max(snapshot_id) from ducklake_snapshot)::int as snapshot`,
      )
      const rows = covered.events.size
      expect(sums).toEqual({ total: rows, files: rows, coverage: rows, snapshot: commits })
      await run.end('done')
    }),
    { numRuns: runs(2) },
  )
})
