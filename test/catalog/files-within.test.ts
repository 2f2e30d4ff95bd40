import { expect, test } from 'vitest'
import { createLake, eventsPart, leaf, newLakeDir, stream, tables } from './lake.ts'

type Bounds = Record<number, [string | null, string | null]>

/**
 * A lake with one file for each of the bounds (by column id). Returns a function that gives the positions of the files that a condition
 * leaves.
 */
async function lakeOf(...files: readonly Bounds[]) {
  const catalog = await createLake({ folder: newLakeDir() }, tables)
  const run = await catalog.startRun({ streams: [stream], command: 'test' })
  for (const [at, bounds] of files.entries()) {
    const part = eventsPart(run.id, at, at + 1, at)
    const stats = part.stats.map((own) => leaf(own.fieldId, 1, ...(bounds[own.fieldId] ?? [null, null])))
    const commit = { runId: run.id, stream, tables: ['events'], progress: { kind: 'none' }, basis: null } as const
    await catalog.commit({ ...commit, parts: [{ ...part, stats }] })
  }
  return async (column: string, operator: string, value: string, snapshotId = files.length) => {
    const bounds = [{ column, operator, value }]
    const { files: found } = await catalog.tableFiles('events', { at: snapshotId, bounds })
    return found.map(({ path }) => Number(/(\d{12})-/.exec(path)?.[1])).sort()
  }
}

test('the catalog excludes files only if their statistics rule out the condition', async () => {
  const within = await lakeOf({ 2: ['0', '9'] }, { 2: ['10', '19'] }, {})
  expect(await within('height', '=', '9')).toEqual([0, 2])
  expect(await within('height', '=', '10')).toEqual([1, 2])
  expect(await within('height', '<', '10')).toEqual([0, 2])
  expect(await within('height', '<=', '10')).toEqual([0, 1, 2])
  expect(await within('height', '>', '9')).toEqual([1, 2])
  expect(await within('height', '>=', '9')).toEqual([0, 1, 2])
  expect(await within('height', '=', '-1')).toEqual([2])
  // Conditions that cannot be compared exclude no file: a fraction, an invalid number, an unknown column, another operator.
  for (const [column, operator, value] of [
    ['height', '>', '19.5'],
    ['height', '=', 'x'],
    ['height', '=', '9'.repeat(40)],
    ['nothing', '=', '1'],
    ['height', '<>', '5'],
  ] as const)
    expect(await within(column, operator, value)).toEqual([0, 1, 2])
  expect(await within('height', '=', '15', 1)).toEqual([])
})

test('times are compared as times and texts as texts', async () => {
  const within = await lakeOf(
    { 1: ['a', 'm'], 3: ['2026-11-01 00:00:00+00', '2026-11-30 00:00:00.5+00'] },
    { 1: ["it's", 'ü'], 3: ['2026-12-01 00:00:00+00', '2026-12-02 00:00:00+00'] },
  )
  expect(await within('network', '=', 'n')).toEqual([1])
  expect(await within('network', '=', "it's")).toEqual([0, 1])
  expect(await within('network', '=', 'Z')).toEqual([])
  expect(await within('block_time', '>=', '2026-11-30 00:00:00.500001+00')).toEqual([1])
  expect(await within('block_time', '<', '2026-12-01 02:00:00+02')).toEqual([0])
})
