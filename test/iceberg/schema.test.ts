import { expect, test } from 'vitest'
import { tables } from '../../schemas/index.ts'
import { catalogColumns } from '../../src/catalog/schema.ts'
import { fieldsOf, t, table } from '../../src/define/index.ts'
import { highestId, leafTypes, schemaFields } from '../../src/iceberg/schema.ts'
import { events } from '../catalog/lake.ts'

test('every kind of column becomes an Iceberg field with the id of the files', () => {
  expect(schemaFields(fieldsOf(events))).toEqual([
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
    const fields = fieldsOf(table)
    expect(JSON.stringify(schemaFields(fields))).not.toContain('undefined')
    expect(highestId(fields)).toBe(Math.max(...catalogColumns(table).map(({ id }) => id)))
  }
})

test('columns inside a list are distinguished from other columns', () => {
  const one = t.int64('One.')
  const item = t.struct({ d: one, e: t.u64('E.') }, 'Item.')
  const a = t.struct({ b: t.text('B.'), c: t.list(item, 'C.') }, 'A.')
  const nested = table({
    name: 'nested',
    comment: 'N.',
    columns: { a, z: one },
    key: ['z'],
    sortBy: [],
    partitionBy: [],
  })
  expect([...leafTypes(fieldsOf(nested))]).toEqual([
    [2, { type: 'string', isInList: false }],
    [5, { type: 'long', isInList: true }],
    [6, { type: 'decimal(20, 0)', isInList: true }],
    [7, { type: 'long', isInList: false }],
  ])
})
