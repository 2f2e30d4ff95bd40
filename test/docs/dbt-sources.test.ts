import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { tables } from '../../schemas/index.ts'
import { derivedViews } from '../../schemas/views/index.ts'
import { derivedView, latestViews, t, table } from '../../src/define/index.ts'
import { packageRoot } from '../../src/lib/package.ts'
import { counts } from '../../src/verify/same-facts.ts'
import { dbtSources } from '../../tools/docs/dbt-sources.ts'

const boxes = table({
  name: 'boxes',
  comment: 'Boxes.',
  key: ['id'],
  sortBy: ['id'],
  partitionBy: [],
  columns: { id: t.text('Id: "a" or <id>.') },
})
const things = table({
  name: 'things',
  comment: 'Things.',
  key: ['network', 'id'],
  sortBy: ['id'],
  partitionBy: [],
  history: 'versions',
  columns: {
    network: t.text('Network.'),
    id: t.u64('Id.'),
    box: t.text('Box.'),
    observation_id: t.text('Observation.'),
    observed_at: t.timestamp('Time.'),
    version_hash: t.text('Hash.'),
  },
})
const daily = derivedView({
  name: 'daily',
  comment: 'By day.',
  dependsOn: ['things'],
  columns: { days: { type: 'DATE[]', comment: 'Days.' } },
})

describe('the sources of dbt', () => {
  const by = [
    ['network', 'network'],
    ['id', 'box'],
  ] as const
  const belongs = { of: boxes, number: null, rows: things, by, place: null }
  const [source] = parse(dbtSources([boxes, things], [daily, ...latestViews([things])], [belongs])).sources

  test('have comments of tables and views; a view of latest rows has no columns of its own', () => {
    const [ofBoxes, ofThings, ofDaily, ofLatest] = source.tables
    expect(ofBoxes).toMatchObject({
      name: 'boxes',
      description: 'Boxes.',
      columns: [{ name: 'id', description: 'Id: "a" or <id>.' }],
    })
    expect(ofThings.columns).toHaveLength(6)
    expect(ofDaily.columns).toEqual([{ name: 'days', description: 'Days.' }])
    expect(ofLatest).toEqual({ name: 'things_latest', description: expect.any(String) })
  })

  test('have tests of keys, and of rows that belong to those of another table', () => {
    expect(source.tables[0].data_tests).toEqual([{ unique_key: { arguments: { columns: ['id'] } } }])
    expect(source.tables[1].data_tests).toEqual([
      { unique_key: { arguments: { columns: ['network', 'id'] } } },
      {
        has_row: {
          arguments: { columns: ['network', 'box'], of: "source('lake', 'boxes')", of_columns: ['network', 'id'] },
        },
      },
    ])
  })

  test('expect no other row for rows that may be read alone', () => {
    const text = dbtSources([boxes, things], [], [{ ...belongs, alone: true }])
    expect(text).not.toContain('has_row')
  })

  test('in examples/dbt are up to date (npm run docs updates them)', () => {
    const path = join(packageRoot(), 'examples/dbt/models/lake.yml')
    expect(readFileSync(path, 'utf8')).toBe(dbtSources(tables, derivedViews, counts))
  })
})
