import { sqlName, sqlText } from '../lib/text/sql-quote.ts'

/** The statements that create a view. Replacing a view drops its comments, so they follow every time. */
export function viewScript(view: {
  readonly name: string
  readonly query: string
  readonly comment: string
  readonly columns: Readonly<Record<string, { readonly comment: string }>>
}): string {
  const name = sqlName(view.name)
  const columns = Object.entries(view.columns).map(
    ([column, { comment }]) => `COMMENT ON COLUMN ${name}.${sqlName(column)} IS ${sqlText(comment)};`,
  )
  return [createScript(view.name, view.query), `COMMENT ON VIEW ${name} IS ${sqlText(view.comment)};`, ...columns].join(
    '\n',
  )
}

/** The statement that creates a view, without comments. */
export function createScript(name: string, query: string): string {
  return `CREATE OR REPLACE VIEW ${sqlName(name)} AS\n${query};`
}
