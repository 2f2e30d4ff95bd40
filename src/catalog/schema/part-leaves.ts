import { CatalogError } from '../../errors.ts'
import type { LeafStats, Part } from '../../model.ts'
import type { CatalogColumn } from './catalog-columns.ts'

/** The statistics of each leaf column of the table. None may be missing, or readers would prune the file wrongly. */
export function leavesOf(part: Part, columns: readonly CatalogColumn[]): LeafStats[] {
  const byField = new Map(part.stats.map((leaf) => [leaf.fieldId, leaf]))
  return columns.map((column) => {
    const leaf = byField.get(column.id)
    if (leaf !== undefined) return withKeptBounds(leaf)
    throw new CatalogError('A new file has no statistics for a column.', {
      code: 'catalog.part',
      details: { path: part.path, column: column.name, 'field id': column.id },
    })
  })
}

/** PostgreSQL cannot store U+0000 in a text. Columns with such a bound get no bounds, so that no reader prunes the file. */
function withKeptBounds(leaf: LeafStats): LeafStats {
  return hasKeptBounds(leaf) ? leaf : { ...leaf, min: null, max: null }
}

/** Whether the catalog can store these bounds of a column. */
export function hasKeptBounds({ min, max }: Pick<LeafStats, 'min' | 'max'>): boolean {
  return !`${min}${max}`.includes('\0')
}
