import { sqlName, sqlText } from '../lib/sql-quote.ts'

/** `COMMENT ON` for a view and its columns; replacing a view drops its comments, so they follow every time. */
export function commentStatements(
  view: string,
  comment: string,
  columns: readonly (readonly [name: string, comment: string])[],
): string[] {
  return [
    `COMMENT ON VIEW ${sqlName(view)} IS ${sqlText(comment)}`,
    ...columns.map(([name, text]) => `COMMENT ON COLUMN ${sqlName(view)}.${sqlName(name)} IS ${sqlText(text)}`),
  ]
}
