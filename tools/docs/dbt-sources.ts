import type { Columns, DerivedView, Table } from '../../src/define/index.ts'
import type { counts } from '../../src/verify/same-facts.ts'

const start = `# The tables and views of every lake as sources of dbt. \`npm run docs\` generates this file from the declarations in schemas/.
version: 2
sources:
- name: lake
  description: Views of a lake of chainlake, in its lake.duckdb. Amounts are exact integers, times are UTC.
  database: lake
  schema: main
  tables:`

/** A source with its tests, as YAML: every table and derived view, the key of each table, and the table that its rows belong to. */
export function dbtSources(tables: readonly Table[], views: readonly DerivedView[], relations: typeof counts): string {
  const names = new Set(tables.map(({ name }) => `${name}_latest`))
  // It has the columns of its table, which are above.
  const isLatest = ({ name }: DerivedView) => names.has(name)
  const lines = [
    start,
    ...tables.flatMap((table) => [
      ...described(table, Object.entries(table.columns as Columns)),
      ...tests(
        table,
        relations.filter(({ rows }) => rows.name === table.name),
      ),
    ]),
    ...views.flatMap((view) => described(view, isLatest(view) ? [] : Object.entries(view.columns))),
  ]
  return `${lines.join('\n')}\n`
}

function described(
  { name, comment }: { readonly name: string; readonly comment: string },
  columns: readonly (readonly [name: string, column: { readonly comment: string }])[],
): string[] {
  return [
    `  - name: ${name}`,
    `    description: ${text(comment)}`,
    ...(columns.length === 0 ? [] : ['    columns:']),
    ...columns.map(([column, { comment }]) => `    - {name: ${column}, description: ${text(comment)}}`),
  ]
}

function tests(table: Table, relations: typeof counts): string[] {
  // Some logs are read without the rows that they belong to.
  const complete = relations.filter(({ alone }) => alone !== true)
  return [
    '    data_tests:',
    `    - unique_key: {arguments: {columns: ${list(table.key)}}}`,
    ...complete.map(({ of, by }) => {
      const [columns, others] = [list(by.map(([, own]) => own)), list(by.map(([other]) => other))]
      const more = columns === others ? '' : `, of_columns: ${others}`
      return `    - has_row: {arguments: {columns: ${columns}, of: "source('lake', '${of.name}')"${more}}}`
    }),
  ]
}

function list(names: readonly string[]): string {
  return `[${names.join(', ')}]`
}

/** A text in double quotes is the same in JSON and YAML. */
function text(value: string): string {
  return JSON.stringify(value.replace(/\s+/g, ' '))
}
