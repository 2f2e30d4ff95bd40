import type { PartitionKey, Table } from '../../define/index.ts'
import { CatalogError } from '../../errors.ts'
import type { PartitionColumn } from './known-tables.ts'

/** The DuckLake transforms of a partition key. DuckLake splits times: a month is the pair year and month. */
export function transforms(key: PartitionKey): readonly string[] {
  if (key.transform === 'identity') return ['identity']
  return key.transform === 'month' ? ['year', 'month'] : ['year', 'month', 'day']
}

/** The partition values of a part in the form of the catalog: the month `2026-01` is the pair `2026`, `1`. */
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

/** The inverse of `partitionValues`: one text for each partition key. */
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
  return new CatalogError(
    `The partition values of a new file of ${table.name} do not match the partitioning of the table.`,
    {
      code: 'catalog.part',
      details: { partition: JSON.stringify(partition) },
    },
  )
}
