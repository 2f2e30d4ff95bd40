import { visibleText } from '../../lib/text/visible-text.ts'
import { type Cell, cellText } from '../../views/cell.ts'
import type { QueryAnswer } from '../../views/query.ts'
import { textTable } from './format.ts'
import { printLine, printText } from './output.ts'

export const answerFormats = ['table', 'csv', 'json'] as const
export type AnswerFormat = (typeof answerFormats)[number]

/** A printed table ends after this many rows and says so; csv and json print every row. */
const tableRows = 100
const cellWidth = 60
const lastCellWidth = 120

/** Streams an answer to stdout. Values are exact in every format, except that a table shortens long text with `…`. */
export async function printAnswer(answer: QueryAnswer, format: AnswerFormat): Promise<void> {
  if (format === 'csv') return printCsv(answer)
  if (format === 'json') return printRowsAsJson(answer)
  await printLine(await answerTable(answer))
}

/** An answer as a table of text, and a last line with the number of its rows. */
export async function answerTable({ columns, chunks }: QueryAnswer): Promise<string> {
  const rows: (readonly Cell[])[] = []
  for await (const chunk of chunks) {
    rows.push(...chunk.slice(0, tableRows + 1 - rows.length))
    if (rows.length > tableRows) break
  }
  const headings = columns.map(({ name, type }) => (isNumeric(type) ? `>${name}` : name.replace(/^>/, ' >')))
  const shown = rows
    .slice(0, tableRows)
    .map((row) => row.map((cell, at) => tableCell(cell, at === row.length - 1 ? lastCellWidth : cellWidth)))
  const end =
    rows.length > tableRows
      ? `the first ${tableRows} rows; --format csv or json prints all`
      : `${rows.length} ${rows.length === 1 ? 'row' : 'rows'}`
  return `${textTable(headings, shown)}\n(${end})`
}

function isNumeric(type: string): boolean {
  return /^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DECIMAL|DOUBLE|FLOAT|BIGNUM|VARINT)\b(?!.*\[\]$)/.test(type)
}

function tableCell(cell: Cell, width: number): string {
  const text = cell === null ? 'null' : cellText(cell).replace(/\s/g, ' ')
  return text.length > width ? `${text.slice(0, width - 1)}…` : text
}

/** RFC 4180 with `\n` line ends: null is an empty field, the empty text is `""`. */
async function printCsv({ columns, chunks }: QueryAnswer): Promise<void> {
  await printText(`${columns.map(({ name }) => csvCell(name)).join(',')}\n`)
  for await (const chunk of chunks) {
    if (chunk.length > 0) await printText(chunk.map((row) => `${row.map(csvCell).join(',')}\n`).join(''))
  }
}

function csvCell(cell: Cell): string {
  const text = cellText(cell)
  if (text === '') return cell === null ? '' : '""'
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

async function printRowsAsJson({ columns, chunks }: QueryAnswer): Promise<void> {
  const names = uniqueNames(columns.map(({ name }) => name))
  let separator = '[\n'
  for await (const chunk of chunks) {
    const objects = chunk.map((row) => JSON.stringify(Object.fromEntries(names.map((name, at) => [name, row[at]]))))
    if (objects.length === 0) continue
    await printText(visibleText(`${separator}${objects.join(',\n')}`))
    separator = ',\n'
  }
  await printLine(separator === '[\n' ? '[]' : '\n]')
}

/** Makes names unique, since an object cannot repeat one: the second `id` of a join becomes `id_1`. */
export function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set<string>()
  return names.map((name) => {
    let unique = name
    for (let count = 1; taken.has(unique); count++) unique = `${name}_${count}`
    taken.add(unique)
    return unique
  })
}
