import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { nameRules, namesOfTwoTypes } from '../../schemas/shared/names.ts'
import type { writersOf } from '../../src/cli/commands/pipeline-description.ts'
import {
  type DerivedView,
  isNullable,
  type PartitionKey,
  shownColumns,
  type Table,
  type ViewColumns,
} from '../../src/define/index.ts'
import { packageRoot } from '../../src/lib/package.ts'
import { codeBlock, codeNames, escaped, linksTo, markdownTable, type Pages, paragraph } from './markdown.ts'

type Writers = NonNullable<ReturnType<ReturnType<typeof writersOf>['get']>>

/** A page of the data dictionary: the tables and views of one source. */
type TablesPage = {
  /** Name of the file in `docs/reference/tables`. */
  readonly file: string
  readonly has: RegExp
}

/** The pages, in the order of the index. Each table and view belongs to exactly one of them. */
export const tablesPages: readonly TablesPage[] = [
  {
    file: 'lake',
    has: /^(chains|containers|observations|coverage|lake_tables|cross_chain_transfers|chain_daily|address_activity)$/,
  },
  { file: 'p-chain', has: /^p_/ },
  { file: 'x-chain', has: /^x_/ },
  { file: 'c-chain', has: /^c_/ },
  {
    file: 'evm-blocks',
    has: /^evm_(blocks|transactions|logs|token_transfers|token_amounts|token_balances|token_calendar|daily|gas_prices|failed_transactions)$/,
  },
  {
    file: 'evm-contracts',
    has: /^evm_(traces|internal_transfers|contracts|contracts_created|four_byte_counts|event_failures|calls|tokens)$/,
  },
  { file: 'evm-state', has: /^evm_(balances|nonces|codes|storage|\w+_changes|state_reads)$/ },
  { file: 'node-state', has: /^(node_|(l1s|l1_validators|validators_now|delegators_now)$)/ },
  {
    file: 'service-transactions',
    has: /^rest_(p_transactions|x_transactions|c_atomic_transactions|utxos|rewards|pending_rewards|x_vertices|node_blocks)/,
  },
  {
    file: 'service-networks',
    has: /^rest_(validators|delegators|l1_validators|subnets|blockchains|icm_messages|signed_messages)/,
  },
  // Also what no other page of the service has.
  {
    file: 'service-tokens',
    has: /^rest_(?!p_|x_|c_|utxos|rewards|pending_|node_|validators|delegators|l1_|subnets|blockchains|icm_|signed_)/,
  },
  { file: 'metrics', has: /^metrics_/ },
]

/** The page of a table or view. A new family of tables needs a page, or a place on one. */
export function pageOf(name: string): TablesPage {
  const page = tablesPages.find(({ has }) => has.test(name))
  if (page === undefined) throw new RangeError(`No page of tools/docs/tables.ts has the table or view ${name}.`)
  return page
}

type Declared = { readonly name: string; readonly comment: string }

/** `schemas/README.md`: one line for each table and view, with its page, and what names mean in all of them. */
export function tablesIndex(tables: readonly Table[], views: readonly DerivedView[]): Pages[string] {
  return {
    index: () =>
      tablesPages
        .flatMap((page) => {
          const ofPage = ({ name }: Declared) => pageOf(name) === page
          const [heading = ''] = readFileSync(join(packageRoot(), pathOf(page)), 'utf8').split('\n')
          return [
            `#${heading}`,
            markdownTable(
              ['table or view', 'holds'],
              [...tables.filter(ofPage), ...views.filter(ofPage)].map(({ name, comment }) => [
                `[\`${name}\`](../${pathOf(page)}#${name})`,
                firstSentence(comment),
              ]),
            ),
          ]
        })
        .join('\n\n'),
    facts: () => markdownTable(['fact', 'names'], Object.entries(nameRules)),
    types: () =>
      markdownTable(
        ['name', 'types', 'why'],
        Object.entries(namesOfTwoTypes).map(([name, { types, reason }]) => [`\`${name}\``, types.join(', '), reason]),
      ),
  }
}

export function pathOf({ file }: TablesPage): string {
  return `docs/reference/tables/${file}.md`
}

/** The first sentence says what a row is; the page has the rest. */
function firstSentence(comment: string): string {
  const [first = comment] = escaped(comment).split(/(?<=[^.]\.)\s(?=[A-Z])/)
  return first
}

/** A page of the data dictionary: a section for each of its tables, each followed by its latest rows, and for each view. */
export function tablesPage(
  tables: readonly Table[],
  views: readonly DerivedView[],
  writers: ReadonlyMap<string, Writers>,
): Pages[string] {
  const names = new Set(tables.map(({ name }) => name))
  const latest = (table: Table) => views.filter(({ name }) => name === `${table.name}_latest`)
  const others = views.filter(({ name }) => !names.has(name.replace(/_latest$/, '')))
  return {
    contents: () =>
      [
        ...(tables.length === 0 ? [] : [contents('Tables', tables)]),
        ...(others.length === 0 ? [] : [contents('Views', others)]),
      ].join('\n\n'),
    sections: () =>
      [
        ...tables.flatMap((table) => [
          ...tableSection(table, writers.get(table.name) ?? []),
          ...latest(table).flatMap((view) => latestSection(table, view)),
        ]),
        ...others.flatMap(viewSection),
      ].join('\n\n'),
  }
}

function contents(title: string, declared: readonly { readonly name: string }[]): string {
  return paragraph(`${title}: ${linksTo(declared)}.`)
}

function tableSection(table: Table, writers: Writers): string[] {
  return [
    `## ${table.name}`,
    paragraph(escaped(table.comment)),
    ...(writers.length === 0 ? [] : [paragraph(`Filled by ${writers.map(writerText).join(', ')}.`)]),
    paragraph(`Key: ${codeNames(table.key)}. Folders: ${table.partitionBy.map(partitionText).join(', ')}.`),
    columnsTable(shownColumns(table), (name) => (isNullable(table, name) ? '' : ' not null')),
    ...examples(table.name),
  ]
}

function writerText({ pipeline, option }: Writers[number]): string {
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
  return [
    `## ${view.name}`,
    paragraph(`${escaped(view.comment)}${readsText(view)}`),
    columnsTable(view.columns),
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

/** Columns with their types, which have DuckDB's short name for times with a zone. */
function columnsTable(columns: ViewColumns, ruleOf = (_: string) => ''): string {
  return markdownTable(
    ['column', 'type', 'meaning'],
    Object.entries(columns).map(([name, { type, comment }]) => [
      `\`${name}\``,
      `${type.replaceAll('TIMESTAMP WITH TIME ZONE', 'TIMESTAMPTZ')}${ruleOf(name)}`,
      comment,
    ]),
  )
}

function partitionText({ transform, column }: PartitionKey): string {
  return transform === 'identity' ? `\`${column}\`` : `\`${transform}\` of \`${column}\` in UTC`
}

/** What a query answers, and its SQL, which runs on the lake of the demo. */
type ExampleQuery = { readonly says: string; readonly sql: string }

const text = readFileSync(join(packageRoot(), 'tools/docs/tables/example-queries.sql'), 'utf8')

/** The example queries by table or view. */
export const exampleQueries: Readonly<Record<string, ExampleQuery>> = Object.fromEntries(
  Array.from(text.matchAll(/^-- (\w+): (.+)\n([\s\S]+?);$/gm), ([, name, says, sql]) => [
    name!,
    { says: says!, sql: sql! },
  ]),
)
