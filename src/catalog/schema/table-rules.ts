import { createHash } from 'node:crypto'
import { type ColumnEncoding, type Field, fieldsOf, type Table } from '../../define/index.ts'

/** Name of the tag with what the DuckLake tables do not record of a declaration, as JSON. */
export const rulesTag = 'chainlake.table'

/** What the DuckLake tables do not record of a declaration. */
export type TableRules = Pick<
  Table,
  'rowGroup' | 'history' | 'coverage' | 'notCompared' | 'lasting' | 'numbered' | 'streamValues' | 'unproven' | 'meaning'
> & {
  /** By the path of the column. */
  readonly encodings: { readonly [path: string]: ColumnEncoding }
  /** SHA-256 of all comments: one comparison shows that a comment has changed. */
  readonly comments: string
}

/** The rules of a table as JSON, the same for equal declarations, and its MD5, which SQL computes, too. */
type RulesText = { readonly text: string; readonly md5: string }

const known = new WeakMap<Table, RulesText>()

/** The rules of a declared table. */
export function rulesOf(table: Table): RulesText {
  const found = known.get(table)
  if (found !== undefined) return found
  const { comment, rowGroup, history, coverage, notCompared, lasting, numbered, streamValues, unproven, meaning } =
    table
  const encodings: Record<string, ColumnEncoding> = {}
  const comments = createHash('sha256').update(comment)
  const visit = ({ path, column, children }: Field): void => {
    encodings[path] = column.encoding
    comments.update(`\n${path}: ${column.comment}`)
    children.forEach(visit)
  }
  fieldsOf(table).forEach(visit)
  const rules: TableRules = {
    rowGroup,
    history,
    coverage,
    notCompared,
    lasting,
    numbered,
    streamValues,
    unproven,
    meaning,
    encodings,
    comments: comments.digest('hex'),
  }
  const text = JSON.stringify(rules)
  const made = { text, md5: createHash('md5').update(text).digest('hex') }
  known.set(table, made)
  return made
}
