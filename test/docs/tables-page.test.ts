import { describe, expect, test } from 'vitest'
import { pipelines } from '../../pipelines/index.ts'
import { tables as declaredTables } from '../../schemas/index.ts'
import { derivedViews } from '../../schemas/views/index.ts'
import { writersOf } from '../../src/cli/commands/pipeline-description.ts'
import { shippedTables } from '../../src/config/shipped-lists.ts'
import { derivedView, identity, latestViews, month, t, table } from '../../src/define/index.ts'
import { filledPages } from '../../tools/docs/markdown.ts'
import { exampleQueries, tablesIndex, tablesPage, tablesPages } from '../../tools/docs/tables.ts'

const names = [
  ...[...declaredTables, ...shippedTables()].map(({ name }) => name),
  ...[...derivedViews, ...latestViews(shippedTables())].map(({ name }) => name),
]

describe('a page about tables', () => {
  const things = table({
    name: 'x_things',
    comment: 'Things. More about them.',
    key: ['network', 'id'],
    sortBy: ['id'],
    partitionBy: [identity('network'), month('seen')],
    columns: {
      network: t.text('Network: a|b or <id>.'),
      id: t.u64('Id.'),
      seen: t.timestamp('Seen.', { nullable: true }),
    },
  })
  const latest = derivedView({
    name: 'x_things_latest',
    comment: 'The latest.',
    dependsOn: ['x_things'],
    columns: { id: { type: 'DECIMAL(20,0)', comment: 'Id.' } },
  })
  const seen = derivedView({
    name: 'x_daily',
    comment: 'Seen.',
    dependsOn: ['x_things'],
    columns: { day: { type: 'DATE', comment: 'Day.' } },
  })
  const writers = new Map([
    [
      'x_things',
      [
        { table: 'x_things', pipeline: 'x-one', option: null },
        { table: 'x_things', pipeline: 'x-two', option: 'more' },
      ],
    ],
  ])
  const path = 'docs/reference/tables/x-chain.md'
  const textOf = (views: Parameters<typeof tablesPage>[1]) =>
    filledPages({ [path]: tablesPage([things], views, writers) })[0]!.text

  test('shows types, nullability, comments, keys, folders and an example', () => {
    const text = textOf([latest, seen])
    expect(text).toContain('\nTables: [`x_things`](#x_things).\n\nViews: [`x_daily`](#x_daily).\n')
    expect(text.slice(text.indexOf('## x_things'))).toBe(
      [
        '## x_things',
        '',
        'Things. More about them.',
        '',
        'Filled by [`x-one`](../pipelines.md#x-one), [`x-two`](../pipelines.md#x-two) (with `--more`).',
        '',
        'Key: `network`, `id`. Folders: `network`, `month` of `seen` in UTC.',
        '',
        '| column | type | meaning |',
        '| --- | --- | --- |',
        '| `network` | VARCHAR not null | Network: a\\|b or &lt;id>. |',
        '| `id` | DECIMAL(20,0) not null | Id. |',
        '| `seen` | TIMESTAMPTZ | Seen. |',
        '',
        '## x_things_latest',
        '',
        'The latest. Its columns are those of [`x_things`](#x_things).',
        '',
        '## x_daily',
        '',
        'Seen. Reads: [`x_things`](x-chain.md#x_things).',
        '',
        '| column | type | meaning |',
        '| --- | --- | --- |',
        '| `day` | DATE | Day. |',
        '',
        `For example: ${exampleQueries['x_daily']!.says}`,
        '',
        '```sql',
        exampleQueries['x_daily']!.sql,
        '```',
        '<!-- end -->',
        '',
      ].join('\n'),
    )
  })

  test('names no tables for a view that reads none', () => {
    const text = textOf([latest, { ...seen, dependsOn: [] }])
    expect(text).toContain('\n## x_daily\n\nSeen.\n\n|')
  })

  test('has one line in the index for each table and view', () => {
    const text = filledPages({ 'schemas/README.md': tablesIndex([things], [seen]) })[0]?.text
    expect(text).toContain('| [`x_things`](../docs/reference/tables/x-chain.md#x_things) | Things. |')
  })
})

test.each(names)('one page has %s', (name) => {
  expect(tablesPages.filter(({ has }) => has.test(name)).map(({ file }) => file)).toHaveLength(1)
})

test('example queries are those of tables and views, and each page has some', () => {
  expect(Object.keys(exampleQueries).filter((name) => !names.includes(name))).toEqual([])
  for (const { file, has } of tablesPages)
    expect([file, Object.keys(exampleQueries).filter((name) => has.test(name)).length > 0]).toEqual([file, true])
})

test('a table has the pipelines that fill it, also with an option only', () => {
  const writers = writersOf(pipelines)
  expect(writers.get('p_blocks')).toEqual([{ table: 'p_blocks', pipeline: 'p-blocks', option: null }])
  expect(writers.get('containers')).toContainEqual({ table: 'containers', pipeline: 'p-blocks', option: 'raw' })
})
