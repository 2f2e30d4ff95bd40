import { expect, test } from 'vitest'
import { lakeTablesText, listedInLake, tableList } from '../../../src/cli/commands/declared.ts'
import { createLake, endsOf, eventsPart, newLakeDir, stream, tables } from '../../catalog/lake.ts'

test('tables of a lake have their rows, newest time and coverage; the others are named', async () => {
  const catalog = await createLake({ folder: newLakeDir() }, tables)
  const run = await catalog.startRun({ streams: [stream], command: 'test' })
  for (const [from, to] of [
    [0, 10],
    [30, 1540],
  ] as const)
    await catalog.commit({
      runId: run.id,
      stream,
      tables: ['events'],
      parts: [eventsPart(run.id, from, to, from)],
      progress: { kind: 'slice', slice: { from, to }, ends: endsOf(from, to) },
      basis: null,
    })
  const listed = listedInLake(tableList({ tables, views: [], pipelines: [] }), tables, await catalog.tableExtents())
  await run.end('done')
  expect(listed[0]).toMatchObject({ name: 'events', rows: 1520, newest: '2026-11-21T10:45:00Z' })
  expect(listed[0]?.coverage).toMatchObject([
    { stream: 'local/P/block', from: 0, to: 10 },
    { from: 30, to: 1540 },
  ])
  // Without a declaration of its stream a range counts nothing.
  const last = (unit: string) => ({
    ...listed[0]!,
    name: `in_${unit}`,
    coverage: (listed[0]?.coverage ?? []).map((one) => ({ ...one, unit })),
  })
  const text = lakeTablesText([last('records'), last('containers'), ...listed], undefined)
  expect(text).toMatch(/^in_records +1,520 {2}2026-11-21T10:45:00Z {2}a list$/m)
  expect(text).toMatch(/^in_containers +1,520 {2}2026-11-21T10:45:00Z {2}containers 0 to 1,540, 2 ranges$/m)
  expect(text).toContain('No run has filled: names.')
})

test('a time that a source states may be of any year: the lake stays readable', async () => {
  const catalog = await createLake({ folder: newLakeDir() }, tables)
  const run = await catalog.startRun({ streams: [stream], command: 'test' })
  const { stats, ...part } = eventsPart(run.id, 0, 10)
  await catalog.commit({
    runId: run.id,
    stream,
    tables: ['events'],
    parts: [
      { ...part, stats: stats.map((each) => (each.fieldId === 3 ? { ...each, max: '9999-12-31 00:00:00+00' } : each)) },
    ],
    progress: { kind: 'slice', slice: { from: 0, to: 10 }, ends: endsOf(0, 10) },
    basis: null,
  })
  const listed = listedInLake(tableList({ tables, views: [], pipelines: [] }), tables, await catalog.tableExtents())
  await run.end('done')
  expect(listed[0]).toMatchObject({ newest: '9999-12-31T00:00:00Z' })
})
