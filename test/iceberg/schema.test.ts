import { describe, expect, test } from 'vitest'
import { tables } from '../../schemas/index.ts'
import { catalogColumns } from '../../src/catalog/schema.ts'
import type { LakeTable } from '../../src/iceberg/schema.ts'
import { highestId, idsWithinLists, schemaFields } from '../../src/iceberg/schema.ts'
import { events } from '../catalog/lake.ts'

type LakeColumn = LakeTable['columns'][number]

const column = (id: number, name: string, type: string, more: Partial<LakeColumn> = {}): LakeColumn => ({
  id,
  name,
  type,
  nullable: false,
  parentId: null,
  comment: null,
  ...more,
})

test('every kind of column becomes an Iceberg field with the id of the files', () => {
  expect(schemaFields({ name: 'events', columns: catalogColumns(events) })).toEqual([
    { id: 1, name: 'network', required: true, type: 'string', doc: 'Network.' },
    { id: 2, name: 'height', required: true, type: 'long', doc: 'Height.' },
    { id: 3, name: 'block_time', required: false, type: 'timestamptz', doc: 'Time.' },
    { id: 4, name: 'amount', required: true, type: 'decimal(20, 0)', doc: 'Amount.' },
    {
      id: 5,
      name: 'owners',
      required: false,
      type: { type: 'list', 'element-id': 6, 'element-required': true, element: 'string' },
      doc: 'Owners.',
    },
    {
      id: 7,
      name: 'detail',
      required: false,
      type: {
        type: 'struct',
        fields: [
          { id: 8, name: 'memo', required: false, type: 'binary', doc: 'Memo.' },
          { id: 9, name: 'weight', required: true, type: 'decimal(20, 0)', doc: 'Weight.' },
        ],
      },
      doc: 'Detail.',
    },
  ])
})

test('every declared table can be published', () => {
  for (const table of tables) {
    const columns = catalogColumns(table)
    expect(highestId(schemaFields({ name: table.name, columns }))).toBe(Math.max(...columns.map(({ id }) => id)))
  }
})

describe('a type that Iceberg does not have is refused with its table and column', () => {
  test.each(['uint64', 'hugeint', 'map', 'decimal(39,0)', 'json', 'list'])('%s', (type) => {
    const columns = [column(1, 'a', 'struct'), column(2, 'b', type, { parentId: 1 })]
    expect(() => schemaFields({ name: 'odd', columns })).toThrow(`Column odd.a.b has the type ${type}`)
  })
})

test('columns inside a list are distinguished from other columns', () => {
  const columns = [
    column(1, 'a', 'struct'),
    column(2, 'b', 'int64', { parentId: 1 }),
    column(3, 'c', 'list', { parentId: 1 }),
    column(4, 'element', 'struct', { parentId: 3 }),
    column(5, 'd', 'int64', { parentId: 4 }),
  ]
  expect([...idsWithinLists(columns)]).toEqual([4, 5])
})
