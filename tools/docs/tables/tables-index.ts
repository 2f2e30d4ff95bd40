import { nameRules, namesOfTwoTypes } from '../../../schemas/shared/names.ts'
import type { DerivedView, Table } from '../../../src/define/index.ts'
import { type Document, documentText, escaped, markdownTable, paragraph } from '../text/markdown.ts'
import { pageOf, tablesPages } from './pages.ts'

type Declared = { readonly name: string; readonly comment: string }

/** `schemas/README.md`: one line for each table and view, with its page, and what names mean in all of them. */
export function tablesIndex(tables: readonly Table[], views: readonly DerivedView[]): Document {
  const text = documentText('Tables and views', [
    paragraph(
      'Every table and view of a lake, with a link to its columns. The prefix of a name is its source: `p_`, `x_` and `c_` are blocks of an Avalanche node, `evm_` is the JSON-RPC API of an EVM chain, `node_` is the present state of a node, `rest_` is the REST service, and `metrics_` is its metrics host.',
    ),
    paragraph(
      'Amounts are exact integers; the comment of a column names the unit. Times are UTC. Each table and view with a `block_time` has its UTC date as the last column, `block_date`. Views compute it; Parquet files and Iceberg tables do not have it. DuckDB skips files and row groups by a filter on `block_time`, and none by a filter on `block_date`. `schemas/ids.json` assigns every column its id in files and catalogs.',
    ),
    paragraph(
      'Queries on the pages run on the lake of the demo. A division such as `/ 1e18` rounds; columns such as `amount_avax` of the views are exact.',
    ),
    ...tablesPages.flatMap((page) => {
      const ofPage = ({ name }: Declared) => pageOf(name) === page
      return [
        `## ${page.title}`,
        markdownTable(
          ['table or view', 'holds'],
          [...tables.filter(ofPage), ...views.filter(ofPage)].map(({ name, comment }) => [
            `[\`${name}\`](../docs/reference/tables/${page.file}.md#${name})`,
            firstSentence(comment),
          ]),
        ),
      ]
    }),
    ...namesSection(),
  ])
  return { path: 'schemas/README.md', text }
}

/** The words of all tables; the names that have two types. */
function namesSection(): string[] {
  return [
    '## Names',
    paragraph(
      'The same fact has one name, one type and one spelling in every table, also where a service has another word for it.',
    ),
    markdownTable(
      ['fact', 'names'],
      nameRules.map(({ fact, names }) => [fact, names]),
    ),
    'These names have two types:',
    markdownTable(
      ['name', 'types', 'why'],
      Object.entries(namesOfTwoTypes).map(([name, { types, reason }]) => [`\`${name}\``, types.join(', '), reason]),
    ),
  ]
}

/** The first sentence says what a row is; the page has the rest. */
function firstSentence(comment: string): string {
  const [first = comment] = escaped(comment).split(/(?<=[^.]\.)\s(?=[A-Z])/)
  return first
}
