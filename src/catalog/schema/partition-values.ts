import type { PartitionKey, Table } from '../../define/index.ts'
import { CatalogError } from '../../errors.ts'
import type { PartitionColumn } from './known-tables.ts'

/** DuckLake cuts a time into its numbers: a month is the pair year and month. */
export function transforms(key: PartitionKey): readonly string[] {
  if (key.transform === 'identity') return ['identity']
  return key.transform === 'month' ? ['year', 'month'] : ['year', 'month', 'day']
}

/** The values of a part's keys as the catalog holds them: `2026-01` of a month is the pair `2026`, `1`. */
export function partitionValues(table: Table, partition: readonly (string | null)[]): (string | null)[] {
  if (partition.length !== table.partitionBy.length) throw wrong(table, partition)
  return table.partitionBy.flatMap((key, position) => {
    const value = partition[position] ?? null
    if (key.transform === 'identity') return [value]
    const names = transforms(key)
    if (value === null) return names.map(() => null)
    const numbers = value.split('-')
    if (numbers.length !== names.length || !numbers.every((number) => /^\d+$/.test(number)))
      throw wrong(table, partition)
    return numbers.map((number) => String(Number(number)))
  })
}

/** The opposite: one text for each key of a partitioning, whose columns are `identity` or the numbers of a time. */
export function partitionOf(
  columns: readonly PartitionColumn[],
  values: readonly (string | null)[],
): (string | null)[] {
  const texts: (string | null)[] = []
  columns.forEach(({ transform }, position) => {
    const value = values[position] ?? null
    if (transform === 'identity') texts.push(value)
    else if (transform === 'year') texts.push(value?.padStart(4, '0') ?? null)
    else {
      const before = texts.pop() ?? null
      texts.push(before === null || value === null ? null : `${before}-${value.padStart(2, '0')}`)
    }
  })
  return texts
}

function wrong(table: Table, partition: readonly (string | null)[]): CatalogError {
  return new CatalogError(`A part of ${table.name} has values that do not fit its partitioning.`, {
    code: 'catalog.part',
    details: { partition: JSON.stringify(partition) },
  })
}
