import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tables } from '../../schemas/index.ts'
import { idList, idsIn } from '../../schemas/shared/table.ts'
import { type Columns, fieldsOf, identity, t, table } from '../../src/define/index.ts'
import { columnIds, columnPaths } from '../../src/define/table.ts'
import { packageRoot } from '../../src/lib/package.ts'

const known: Readonly<Record<string, readonly string[]>> = JSON.parse(
  readFileSync(join(packageRoot(), 'schemas/ids.json'), 'utf8'),
)

test('schemas/ids.json has every column (npm run ids updates it)', () => {
  for (const table of tables)
    expect({ [table.name]: idList(columnIds(table, idsIn(known[table.name]))) }).toEqual({
      [table.name]: known[table.name],
    })
})

function declared(columns: Columns) {
  return table({
    name: 'things',
    comment: 'Things.',
    key: ['network'],
    sortBy: [],
    partitionBy: [identity('network')],
    columns: { network: t.text('Network.'), ...columns },
  })
}

test('an id never changes and is never reused, whatever columns are added and removed', () => {
  const version = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'))
  fc.assert(
    fc.property(fc.array(version, { maxLength: 8 }), (versions) => {
      let ids = columnIds(declared({}), null)
      const ownerOf = new Map<number, string>()
      const seen = new Map<string, number>()
      for (const names of versions) {
        const now = declared(Object.fromEntries(names.map((name) => [name, t.text('One.', { nullable: true })])))
        const before = ids
        ids = columnIds(now, before)
        expect(Object.keys(ids.columns)).toEqual(['network', ...names])
        expect(idsIn(idList(ids))).toEqual(ids)
        expect(idList(ids)).toHaveLength(Object.keys({ ...ids.columns, ...ids.retired }).length)
        for (const [path, id] of Object.entries(ids.columns)) {
          if (before.columns[path] === undefined && path !== 'network') expect(ownerOf.has(id)).toBe(false)
          else expect(id).toBe(before.columns[path] ?? 1)
          ownerOf.set(id, path)
          seen.set(path, id)
        }
        expect(fieldsOf({ ...now, ids }).map(({ path, id }) => [path, id])).toEqual(Object.entries(ids.columns))
      }
    }),
  )
})

test('nested columns have ids, and the name of a retired nested column is not reused', () => {
  const nested = (fields: Columns) => declared({ detail: t.struct(fields, 'Detail.', { nullable: true }) })
  const one = t.text('One.', { nullable: true })
  const first = nested({ x: one, y: one })
  expect(columnPaths(first.columns)).toEqual(['network', 'detail', 'detail.x', 'detail.y'])
  const second = columnIds(nested({ y: one }), columnIds(first, null))
  expect(second).toEqual({ columns: { network: 1, detail: 2, 'detail.y': 4 }, retired: { '3': 'detail.x' } })
  expect(idList(second)).toEqual(['network', 'detail', '-detail.x', 'detail.y'])
  expect(() => columnIds(first, second)).toThrow('things.detail.x was the name of another nested column.')
})

test('a column without an id throws an error that names the column', () => {
  const thing = declared({ a: t.text('A.') })
  expect(() => fieldsOf({ ...thing, ids: { columns: { network: 1 }, retired: {} } })).toThrow(
    'Column things.a has no id.',
  )
})
