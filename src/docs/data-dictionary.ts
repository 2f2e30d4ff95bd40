import { nameRules, namesOfTwoTypes } from '../../schemas/shared/names.ts'
import { type Columns, type DerivedView, duckdbType, type PartitionKey, type Table } from '../define/index.ts'

const title = `# Tables and views

What the lake holds, made from the declarations beside this file by \`npm run docs\`. Tables are named after their source: \`p_\`, \`x_\`
and \`c_\` from containers of a node's index, \`evm_\` from an EVM chain's RPC, \`rest_\` from the REST service, \`metrics_\` from its
metrics host. Amounts are exact, in the least unit of their asset; times are UTC. \`ids.json\` gives every column the id that files and
catalogs know it by.`

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
  const columns = Object.entries(table.columns as Columns).map(([name, { type, nullable, comment }]) =>
    cells([`\`${name}\``, `${shortType(duckdbType(type))}${nullable ? '' : ' not null'}`, comment]),
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

const header = ['| column | type | what |', '| --- | --- | --- |']

function cells(texts: readonly string[]): string {
  return `| ${texts.map(escaped).join(' | ')} |`
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replace(/\s+/g, ' ')
}

function names(columns: readonly string[]): string {
  return columns.map((name) => `\`${name}\``).join(', ')
}

/** DuckDB's own short name of the type, which it takes everywhere. */
function shortType(type: string): string {
  return type.replaceAll('TIMESTAMP WITH TIME ZONE', 'TIMESTAMPTZ')
}

function partitionText({ transform, column }: PartitionKey): string {
  return transform === 'identity' ? `\`${column}\`` : `\`${transform}\` of \`${column}\` in UTC`
}
