import { type DerivedView, isNullable, type PartitionKey, shownColumns, type Table } from '../../../src/define/index.ts'
import {
  codeBlock,
  codeNames,
  type Document,
  documentText,
  escaped,
  markdownTable,
  paragraph,
} from '../text/markdown.ts'
import { exampleQueries } from './example-queries.ts'
import { pageOf, type TablesPage } from './pages.ts'
import type { Writer } from './writers.ts'

/** A page of the data dictionary as Markdown: a section for each of its tables, each followed by its latest rows, and for each view. */
export function tablesPage(
  page: TablesPage,
  tables: readonly Table[],
  views: readonly DerivedView[],
  writers: ReadonlyMap<string, readonly Writer[]>,
): Document {
  const names = new Set(tables.map(({ name }) => name))
  const latest = (table: Table) => views.filter(({ name }) => name === latestOf(table.name))
  const others = views.filter(({ name }) => !names.has(name.replace(/_latest$/, '')))
  const text = documentText(page.title, [
    paragraph(page.intro),
    contents('Tables', tables),
    ...(others.length === 0 ? [] : [contents('Views', others)]),
    paragraph(
      'The [index](../../../schemas/README.md) lists all tables and views, and says what names, amounts and times mean in all of them.',
    ),
    ...tables.flatMap((table) => [
      ...tableSection(table, writers.get(table.name) ?? []),
      ...latest(table).flatMap((view) => latestSection(table, view)),
    ]),
    ...others.flatMap(viewSection),
  ])
  return { path: `docs/reference/tables/${page.file}.md`, text }
}

function latestOf(name: string): string {
  return `${name}_latest`
}

function contents(title: string, declared: readonly { readonly name: string }[]): string {
  return paragraph(`${title}: ${declared.map(({ name }) => `[\`${name}\`](#${name})`).join(', ')}.`)
}

function tableSection(table: Table, writers: readonly Writer[]): string[] {
  const columns = Object.entries(shownColumns(table)).map(([name, { type, comment }]) => [
    `\`${name}\``,
    `${shortType(type)}${isNullable(table, name) ? '' : ' not null'}`,
    comment,
  ])
  return [
    `## ${table.name}`,
    paragraph(escaped(table.comment)),
    ...(writers.length === 0 ? [] : [paragraph(`Filled by ${writers.map(writerText).join(', ')}.`)]),
    paragraph(`Key: ${codeNames(table.key)}. Folders: ${table.partitionBy.map(partitionText).join(', ')}.`),
    markdownTable(header, columns),
    ...examples(table.name),
  ]
}

function writerText({ pipeline, option }: Writer): string {
  const link = `[\`${pipeline}\`](../pipelines.md#${pipeline})`
  return option === null ? link : `${link} (with \`--${option}\`)`
}

/** It has the columns of its table, which are above. */
function latestSection(table: Table, view: DerivedView): string[] {
  return [
    `## ${view.name}`,
    paragraph(`${escaped(view.comment)} Its columns are those of [\`${table.name}\`](#${table.name}).`),
    ...examples(view.name),
  ]
}

function viewSection(view: DerivedView): string[] {
  const columns = Object.entries(view.columns).map(([name, { type, comment }]) => [
    `\`${name}\``,
    shortType(type),
    comment,
  ])
  return [
    `## ${view.name}`,
    paragraph(`${escaped(view.comment)}${readsText(view)}`),
    markdownTable(header, columns),
    ...examples(view.name),
  ]
}

/** A view of the catalog, such as `coverage`, reads no table. */
function readsText({ dependsOn }: DerivedView): string {
  return dependsOn.length === 0 ? '' : ` Reads: ${dependsOn.map(linkText).join(', ')}.`
}

function linkText(name: string): string {
  return `[\`${name}\`](${pageOf(name).file}.md#${name})`
}

function examples(name: string): string[] {
  const query = exampleQueries[name]
  return query === undefined ? [] : [paragraph(`For example: ${query.says}`), codeBlock('sql', query.sql)]
}

const header = ['column', 'type', 'meaning']

/** The type with DuckDB's short name for times with a zone. */
function shortType(type: string): string {
  return type.replaceAll('TIMESTAMP WITH TIME ZONE', 'TIMESTAMPTZ')
}

function partitionText({ transform, column }: PartitionKey): string {
  return transform === 'identity' ? `\`${column}\`` : `\`${transform}\` of \`${column}\` in UTC`
}
