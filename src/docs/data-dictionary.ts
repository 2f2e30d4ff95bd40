import { nameRules, namesOfTwoTypes } from '../../schemas/shared/names.ts'
import { type DerivedView, isNullable, type PartitionKey, shownColumns, type Table } from '../define/index.ts'

const title = `# Tables and views

The tables and views of a lake. \`npm run docs\` generates this file from the declarations in this folder. The prefix of a table names its
source: \`p_\`, \`x_\` and \`c_\` are containers of the index of an Avalanche node, \`evm_\` is the JSON-RPC API of an EVM chain, \`rest_\` is
the REST service, and \`metrics_\` is its metrics host. Amounts are exact integers; the comment of a column names the unit. Times are UTC.
Each table and view with a \`block_time\` has its UTC date as the last column, \`block_date\`. Views compute it; Parquet files and Iceberg
tables do not have it. DuckDB skips files and row groups by a filter on \`block_time\`, and none by a filter on \`block_date\`.
\`ids.json\` assigns every column its id in files and catalogs.`

/** The data dictionary as Markdown: a section with a table for each table and derived view, from their declarations. */
export function dataDictionary(tables: readonly Table[], views: readonly DerivedView[]): string {
  const sections = [
    title,
    namesSection(),
    '## Tables',
    ...tables.map(tableSection),
    '## Views',
    ...views.map(viewSection),
  ]
  return `${sections.join('\n\n')}\n`
}

/** The words of all tables; the names that have two types. */
function namesSection(): string {
  return [
    '## Names',
    '',
    'The same fact has one name, one type and one spelling in every table, also where a service has another word for it.',
    '',
    '| fact | names |',
    '| --- | --- |',
    ...nameRules.map(({ fact, names }) => cells([fact, names])),
    '',
    'These names have two types:',
    '',
    '| name | types | why |',
    '| --- | --- | --- |',
    ...Object.entries(namesOfTwoTypes).map(([name, { types, reason }]) =>
      cells([`\`${name}\``, types.join(', '), reason]),
    ),
  ].join('\n')
}

function tableSection(table: Table): string {
  const columns = Object.entries(shownColumns(table)).map(([name, { type, comment }]) =>
    cells([`\`${name}\``, `${shortType(type)}${isNullable(table, name) ? '' : ' not null'}`, comment]),
  )
  return [
    `### ${table.name}`,
    '',
    `${escaped(table.comment)} Key: ${names(table.key)}. Folders: ${table.partitionBy.map(partitionText).join(', ')}.`,
    '',
    ...header,
    ...columns,
  ].join('\n')
}

function viewSection(view: DerivedView): string {
  const columns = Object.entries(view.columns).map(([name, { type, comment }]) =>
    cells([`\`${name}\``, shortType(type), comment]),
  )
  return [
    `### ${view.name}`,
    '',
    `${escaped(view.comment)} Reads: ${names(view.dependsOn)}.`,
    '',
    ...header,
    ...columns,
  ].join('\n')
}

const header = ['| column | type | meaning |', '| --- | --- | --- |']

function cells(texts: readonly string[]): string {
  return `| ${texts.map(escaped).join(' | ')} |`
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replace(/\s+/g, ' ')
}

function names(columns: readonly string[]): string {
  return columns.map((name) => `\`${name}\``).join(', ')
}

/** The type with DuckDB's short name for times with a zone. */
function shortType(type: string): string {
  return type.replaceAll('TIMESTAMP WITH TIME ZONE', 'TIMESTAMPTZ')
}

function partitionText({ transform, column }: PartitionKey): string {
  return transform === 'identity' ? `\`${column}\`` : `\`${transform}\` of \`${column}\` in UTC`
}
