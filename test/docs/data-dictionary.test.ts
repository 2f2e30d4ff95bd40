import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tables } from '../../schemas/index.ts'
import { derivedViews } from '../../schemas/views/index.ts'
import { shippedTables } from '../../src/config/shipped-lists.ts'
import { derivedView, identity, latestViews, month, t, table } from '../../src/define/index.ts'
import { dataDictionary } from '../../src/docs/data-dictionary.ts'
import { packageRoot } from '../../src/lib/files/package-root.ts'

describe('the data dictionary', () => {
  test('shows types, nullability, comments, keys and folders', () => {
    const things = table({
      name: 'things',
      comment: 'Things.',
      key: ['network', 'id'],
      sortBy: ['id'],
      partitionBy: [identity('network'), month('seen')],
      columns: {
        network: t.text('Network: a|b or <id>.'),
        id: t.u64('Id.'),
        seen: t.timestamp('Seen.', { nullable: true }),
      },
    })
    const seen = derivedView({
      name: 'seen_things',
      comment: 'Seen.',
      dependsOn: ['things'],
      columns: { day: { type: 'DATE', comment: 'Day.' } },
    })
    const text = dataDictionary([things], [seen])
    expect(text.slice(text.indexOf('## Tables'))).toBe(
      [
        '## Tables',
        '',
        '### things',
        '',
        'Things. Key: `network`, `id`. Folders: `network`, `month` of `seen` in UTC.',
        '',
        '| column | type | meaning |',
        '| --- | --- | --- |',
        '| `network` | VARCHAR not null | Network: a\\|b or &lt;id>. |',
        '| `id` | DECIMAL(20,0) not null | Id. |',
        '| `seen` | TIMESTAMPTZ | Seen. |',
        '',
        '## Views',
        '',
        '### seen_things',
        '',
        'Seen. Reads: `things`.',
        '',
        '| column | type | meaning |',
        '| --- | --- | --- |',
        '| `day` | DATE | Day. |',
        '',
      ].join('\n'),
    )
  })

  test('in schemas/README.md is up to date (npm run docs updates it)', () => {
    const readme = readFileSync(join(packageRoot(), 'schemas/README.md'), 'utf8')
    const [allTables, allViews] = [
      [...tables, ...shippedTables()],
      [...derivedViews, ...latestViews(shippedTables())],
    ]
    expect(readme).toBe(dataDictionary(allTables, allViews))
  })
})
