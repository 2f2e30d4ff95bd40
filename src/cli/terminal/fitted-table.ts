import { wrapped } from './columns.ts'
import { type Heading, textTable } from './text-table.ts'

/** The last column of a narrower terminal is not broken further. */
const narrowestLast = 20

/**
 * Rows as `textTable` aligns them, with the texts of the last column broken between words, so that lines fit into `width` columns of a
 * terminal. Undefined, as without a terminal, breaks nothing.
 */
export function fittedTable(
  headings: readonly Heading[],
  rows: readonly (readonly string[])[],
  width: number | undefined,
): string {
  if (!width) return textTable(headings, rows)
  const last = headings.length - 1
  const others = headings.slice(0, last).map((heading, column) => {
    const cells = rows.map((row) => row[column] ?? '')
    return Math.max(heading.replace(/^>/, '').length, ...cells.map(({ length }) => length))
  })
  const left = width - others.reduce((sum, each) => sum + each + 2, 0)
  const lines = rows.flatMap((row) => {
    const [first = '', ...more] = wrapped(row[last] ?? '', Math.max(narrowestLast, left))
    return [[...row.slice(0, last), first], ...more.map((text) => [...others.map(() => ''), text])]
  })
  return textTable(headings, lines)
}
