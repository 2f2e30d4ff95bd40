import type { QueryColumn } from '../../views/query.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { cutText, textColumns } from '../terminal/text-width.ts'

/** Some rows of an answer as texts. A null is null. */
type TextRows = readonly (readonly (string | null)[])[]

/** Between two columns. */
const gap = '  '
/** A column of texts is not cut below this width while other columns can be left out. */
const narrowest = 8
/** Stands for columns or rows that are left out. */
const leftOut = '…'
const nullText = 'null'

type AnswerTable = {
  readonly text: string
  /** Columns that fit into the terminal. */
  readonly shownColumns: number
}

/**
 * Rows as a table that fits into a terminal, with numbers to the right: texts are cut first, then columns in the middle are left out. A row of
 * undefined stands for rows that are left out.
 */
export function answerTable(
  columns: readonly QueryColumn[],
  rows: readonly (TextRows[number] | undefined)[],
  terminal: Terminal,
): AnswerTable {
  const natural = columns.map(({ name }, column) =>
    rows.reduce(
      (widest, row) => Math.max(widest, textColumns(row === undefined ? leftOut : (row[column] ?? nullText))),
      textColumns(name),
    ),
  )
  const { shown, widths } = fitted(columns, natural, terminal.columns)
  const isLeftOut = shown.length < columns.length
  const middle = Math.ceil(shown.length / 2)
  const lineOf = (cell: (column: number) => Cell): string => {
    const cells = shown.map((column) => padded(cell(column), widths.get(column)!, terminal))
    return (isLeftOut ? cells.toSpliced(middle, 0, leftOut) : cells).join(gap).trimEnd()
  }
  const isRight = (column: number): boolean => isNumeric(columns[column]!.type)
  const lines = [
    lineOf((column) => ({ text: columns[column]!.name, isRight: isRight(column), isDim: false })),
    ...rows.map((row) =>
      lineOf((column) => {
        const text = row === undefined ? leftOut : (row[column] ?? null)
        return { text: text ?? nullText, isRight: isRight(column), isDim: text === null }
      }),
    ),
  ]
  return { text: lines.join('\n'), shownColumns: shown.length }
}

export function isNumeric(type: string): boolean {
  return /^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DECIMAL|DOUBLE|FLOAT|BIGNUM|VARINT)\b(?!.*\[\]$)/.test(type)
}

type Cell = { readonly text: string; readonly isRight: boolean; readonly isDim: boolean }

function padded({ text, isRight, isDim }: Cell, width: number, terminal: Terminal): string {
  const cut = cutText(text, width)
  const space = ' '.repeat(Math.max(0, width - textColumns(cut)))
  const shown = isDim ? terminal.dim(cut) : cut
  return isRight ? space + shown : shown + space
}

/** The columns that are shown, and their widths. The first and the last ones are the most telling: those in the middle leave first. */
function fitted(
  columns: readonly QueryColumn[],
  natural: readonly number[],
  width: number,
): { readonly shown: readonly number[]; readonly widths: ReadonlyMap<number, number> } {
  const least = natural.map((each, at) => (isNumeric(columns[at]!.type) ? each : Math.min(each, narrowest)))
  let shown = natural.map((_, at) => at)
  const needed = (): number => {
    const mark = shown.length < natural.length ? gap.length + leftOut.length : 0
    return shown.reduce((sum, at) => sum + least[at]!, (shown.length - 1) * gap.length + mark)
  }
  while (shown.length > 1 && needed() > width) shown = shown.toSpliced(Math.floor(shown.length / 2), 1)
  const free = width - needed()
  return { shown, widths: widened(shown, natural, least, free) }
}

/** Gives the free width to columns that need more than their least, as evenly as possible. */
function widened(
  shown: readonly number[],
  natural: readonly number[],
  least: readonly number[],
  free: number,
): ReadonlyMap<number, number> {
  const widths = new Map(shown.map((at) => [at, least[at]!]))
  const wanting = shown.filter((at) => natural[at]! > least[at]!).sort((a, b) => natural[a]! - natural[b]!)
  let left = Math.max(0, free)
  for (const [taken, at] of wanting.entries()) {
    const share = Math.floor(left / (wanting.length - taken))
    const more = Math.min(natural[at]! - least[at]!, share)
    widths.set(at, least[at]! + more)
    left -= more
  }
  return widths
}
