import { CatalogError } from '../../errors.ts'
import type { LeafStats, Part } from '../../model.ts'
import type { CatalogColumn } from './catalog-columns.ts'

/** One statistic for each leaf column of the table: none may be missing, or the file would be pruned wrongly. */
export function leavesOf(part: Part, columns: readonly CatalogColumn[]): LeafStats[] {
  const byField = new Map(part.stats.map((leaf) => [leaf.fieldId, leaf]))
  return columns.map((column) => {
    const leaf = byField.get(column.id)
    if (leaf !== undefined) return withKeptBounds(leaf)
    throw new CatalogError('A part lacks the statistics of a column.', {
      code: 'catalog.part',
      details: { path: part.path, column: column.name, 'field id': column.id },
    })
  })
}

/** No text in PostgreSQL holds the character of code 0: columns with such bounds have none, which says of no file that it has no row. */
function withKeptBounds(leaf: LeafStats): LeafStats {
  return hasKeptBounds(leaf) ? leaf : { ...leaf, min: null, max: null }
}

/** Whether catalogs keep the bounds that a file states of a column. */
export function hasKeptBounds({ min, max }: Pick<LeafStats, 'min' | 'max'>): boolean {
  return !`${min}${max}`.includes('\0')
}
