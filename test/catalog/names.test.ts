import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { newRunId } from '../../src/catalog/runs.ts'
import { layoutOf, partitionOf, partitionValues } from '../../src/catalog/tables.ts'
import { day, identity, month, t, table } from '../../src/define/index.ts'
import { dataFilePath, readDataFilePath } from '../../src/store/data-file-path.ts'
import { events } from './lake.ts'

describe('run ids', () => {
  test('sort by time, differ, and can be read from file names', () => {
    const first = newRunId(Date.parse('2026-11-21T10:45:00.123Z'))
    expect(first).toMatch(/^20261121T104500123Z[0-9a-z]{6}$/)
    expect(newRunId(Date.parse('2026-11-21T10:45:00.124Z')) > first).toBe(true)
    expect(new Set(Array.from({ length: 100 }, () => newRunId(0))).size).toBe(100)
    const path = dataFilePath(events, ['local', null], { from: 65_536, runId: first, sequence: 3 })
    expect(readDataFilePath(path)?.runId).toBe(first)
  })
})

describe('partition values', () => {
  const cut = table({
    name: 'daily',
    comment: 'Cut by day.',
    key: ['network'],
    sortBy: [],
    partitionBy: [identity('network'), day('time'), month('time')],
    columns: { network: t.text('Network.'), time: t.timestamp('Time.') },
  })

  test('are split into numbers and joined again', () => {
    expect(partitionValues(cut, ['a', '2026-01-05', '2026-01'])).toEqual(['a', '2026', '1', '5', '2026', '1'])
    const date = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    fc.assert(
      fc.property(fc.option(fc.string()), fc.option(date), (name, time) => {
        const text = time?.toISOString() ?? null
        const partition = [name, text?.slice(0, 10) ?? null, text?.slice(0, 7) ?? null]
        expect(partitionOf(layoutOf(cut).partition, partitionValues(cut, partition))).toEqual(partition)
      }),
    )
  })
})
