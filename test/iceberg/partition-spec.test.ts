import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tables } from '../../schemas/index.ts'
import { identity, type Table } from '../../src/define/index.ts'
import { comparePartitionValues, lastPartitionId, partitionOf, partitionSpec } from '../../src/iceberg/schema.ts'
import { runs } from '../runs.ts'
import { unicodeText } from './unicode-text.ts'

function tableOf(name: string): Table {
  const table = tables.find((each) => each.name === name)
  if (table === undefined) throw new Error(name)
  return table
}

test('every declared table has a partition field for each of its partition keys', () => {
  for (const table of tables) {
    const spec = partitionSpec(table)
    expect(spec.map(({ field }) => field.transform)).toEqual(table.partitionBy.map(({ transform }) => transform))
  }
})

test('a month and a day are one field each, counted from 1970', () => {
  const days = partitionSpec(tableOf('evm_transactions'))
  expect(days.map(({ field }) => field.name)).toEqual(['network', 'chain_id', 'block_time_day'])
  expect(days.map(({ kind }) => kind.avro)).toEqual(['string', 'string', { type: 'int', logicalType: 'date' }])
  expect(lastPartitionId(days)).toBe(1002)
  expect(Object.values(partitionOf(days, ['local', '43112', '1970-01-02'], 'p'))).toEqual(['local', '43112', 1])
  expect(Object.values(partitionOf(days, ['local', '43112', '1969-12-31'], 'p'))).toEqual(['local', '43112', -1])
  const months = partitionSpec(tableOf('p_blocks'))
  expect(Object.values(partitionOf(months, ['local', '1970-02'], 'p'))).toEqual(['local', 1])
  expect(Object.values(partitionOf(months, ['local', '1969-12'], 'p'))).toEqual(['local', -1])
  expect(Object.values(partitionOf(months, ['local', null], 'p'))).toEqual(['local', null])
})

test('other partitioning of a table or a file is refused', () => {
  const table = tableOf('p_blocks')
  for (const key of [{ transform: 'month', column: 'height' } as const, identity('block_time'), identity('nothing')])
    expect(() => partitionSpec({ ...table, partitionBy: [key] })).toThrow('Table p_blocks is partitioned in a way')
  const spec = partitionSpec(table)
  for (const texts of [['local'], ['local', '2026'], ['local', '2026-11-21'], ['local', '2026-11', 'more']])
    expect(() => partitionOf(spec, texts, 'p')).toThrow('another partitioning')
})

test('the order of partition bounds equals the order of their values', () => {
  const [network, month] = partitionSpec(tableOf('p_blocks'))
  const text = network!.kind
  fc.assert(
    fc.property(unicodeText, unicodeText, (a, b) => {
      const [first, second] = [a, b].map((each) => text.bytesOf(each) ?? Buffer.alloc(0))
      expect(Math.sign(comparePartitionValues(a, b))).toBe(
        Buffer.compare(first ?? Buffer.alloc(0), second ?? Buffer.alloc(0)),
      )
    }),
    { numRuns: runs(100) },
  )
  expect(month?.kind.bytesOf(-1)?.toString('hex')).toBe('ffffffff')
  expect(month?.kind.bytesOf(682)?.readInt32LE()).toBe(682)
})
