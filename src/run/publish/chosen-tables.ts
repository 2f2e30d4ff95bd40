import type { CatalogFiles, CatalogTable } from '../../catalog/catalog.ts'
import type { DerivedView } from '../../define/index.ts'
import { ConfigError } from '../../errors.ts'

/** The codes of the errors of a format: for a table that the lake does not have, and for a view. */
type ChosenErrors = Readonly<Record<'table' | 'view', { readonly code: string }>>

/**
 * The tables of these names; null: all tables of the lake.
 *
 * @throws ConfigError with the given codes.
 */
export function chosenTables(
  errors: ChosenErrors,
  { tables }: CatalogFiles,
  views: readonly DerivedView[],
  names: readonly string[] | null,
): readonly CatalogTable[] {
  if (names === null) return tables
  return [...new Set(names)].map((name) => {
    const table = tables.find((each) => each.name === name)
    if (table !== undefined) return table
    const isView = views.some((view) => view.name === name)
    const known = tables.map((each) => each.name)
    throw new ConfigError(isView ? `${name} is a view: only tables are published.` : `The lake has no table ${name}.`, {
      ...(isView ? errors.view : errors.table),
      details: { 'the lake has': known.join(', ') || 'no tables yet' },
      hint: isView
        ? `Publish the tables that it reads, and define the view in the reading system; chainlake describe ${name} shows its columns.`
        : 'Choose one of these tables, or omit --table to publish all tables.',
    })
  })
}
