import type { CatalogFiles, CatalogTable } from '../../catalog/catalog.ts'
import type { DerivedView } from '../../define/index.ts'
import { ConfigError } from '../../errors.ts'

/**
 * The tables of these names; null: all tables of the lake.
 *
 * @throws ConfigError `<format>.table` and `<format>.view`.
 */
export function chosenTables(
  format: string,
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
      code: isView ? `${format}.view` : `${format}.table`,
      details: { 'the lake has': known.join(', ') || 'no tables yet' },
      hint: isView
        ? `Publish the tables that it reads, and define the view in the reading system; chainlake describe ${name} shows its columns.`
        : 'Choose one of these tables, or omit --table to publish all tables.',
    })
  })
}
