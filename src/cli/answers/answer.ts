import { countText } from '../../lib/text/count-text.ts'
import { visibleText } from '../../lib/text/visible-text.ts'
import { type Cell, cellText } from '../../views/cell.ts'
import type { QueryAnswer } from '../../views/query.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { textTable } from '../terminal/text-table.ts'
import { textColumns } from '../terminal/text-width.ts'
import { type AnswerOutput, standardOutput } from './answer-output.ts'
import { endsOfAnswer } from './answer-rows.ts'
import { answerTable, isNumeric } from './answer-table.ts'

export const answerFormats = ['table', 'line', 'csv', 'json'] as const
export type AnswerFormat = (typeof answerFormats)[number]

/** Without a terminal a printed table ends after this many rows and says so; the other formats print every row. */
const tableRows = 100
const cellWidth = 60
const lastCellWidth = 120

/** Streams an answer. Values are exact in every format, except that a table shortens long text with `…`. */
export async function printAnswer(
  answer: QueryAnswer,
  format: AnswerFormat,
  { write, terminal }: AnswerOutput = standardOutput(),
): Promise<void> {
  if (format === 'csv') return printCsv(answer, write)
  if (format === 'json') return printRowsAsJson(answer, write)
  if (format === 'line') return printLines(answer, write)
  if (terminal === null) return write(`${visibleText(await answerText(answer))}\n`)
  await write(`${await fittedAnswer(answer, terminal)}\n`)
}

type Write = AnswerOutput['write']

/** An answer as a table of text, and a last line with the number of its rows. */
export async function answerText({ columns, chunks }: QueryAnswer): Promise<string> {
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
      : counted(rows.length, 'row')
  return `${textTable(headings, shown)}\n(${end})`
}

/** An answer that fits into a terminal: its first and last rows, and a last line that says what is left out. */
export async function fittedAnswer({ columns, chunks }: QueryAnswer, terminal: Terminal): Promise<string> {
  const { first, last, count } = await endsOfAnswer(chunks)
  const rows = last.length === 0 ? first : [...first, undefined, ...last]
  const texts = rows.map((row) => row?.map((cell) => (cell === null ? null : lineOf(cell))))
  const names = columns.map(({ name, type }) => ({ name: lineOf(name), type }))
  const { text, shownColumns } = answerTable(names, texts, terminal)
  const shownRows = first.length + last.length
  const facts = [
    count === null ? `the first ${counted(shownRows, 'row')} of many` : counted(count, 'row'),
    ...(count !== null && shownRows < count ? [`${shownRows} shown`] : []),
    ...(shownColumns < columns.length
      ? [`${columns.length} columns, ${shownColumns} shown: .mode line or --format line shows all`]
      : []),
  ]
  return `${text}\n(${facts.join(', ')})`
}

function counted(count: number, one: string): string {
  return `${countText(count)} ${one}${count === 1 ? '' : 's'}`
}

/** No terminal shows more of a cell. */
const longestLine = 2_000

/** The beginning of a cell on one line, without control characters. */
function lineOf(cell: Cell): string {
  return visibleText(cellText(cell).slice(0, longestLine).replace(/\s/g, ' '))
}

function tableCell(cell: Cell, width: number): string {
  const text = cell === null ? 'null' : cellText(cell).replace(/\s/g, ' ')
  return text.length > width ? `${text.slice(0, width - 1)}…` : text
}

/** One line per cell, with whole values, and an empty line between rows. */
async function printLines({ columns, chunks }: QueryAnswer, write: Write): Promise<void> {
  const widest = Math.max(0, ...columns.map(({ name }) => textColumns(name)))
  const names = columns.map(({ name }) => ' '.repeat(widest - textColumns(name)) + name)
  let isFirst = true
  for await (const chunk of chunks)
    for (const row of chunk) {
      const lines = row.map((cell, at) => `${names[at]} = ${cell === null ? 'null' : cellText(cell)}`)
      await write(visibleText(`${isFirst ? '' : '\n'}${lines.join('\n')}\n`))
      isFirst = false
    }
  if (isFirst) await write('(0 rows)\n')
}

/** RFC 4180 with `\n` line ends: null is an empty field, the empty text is `""`. */
async function printCsv({ columns, chunks }: QueryAnswer, write: Write): Promise<void> {
  await write(`${columns.map(({ name }) => csvCell(name)).join(',')}\n`)
  for await (const chunk of chunks) {
    if (chunk.length > 0) await write(chunk.map((row) => `${row.map(csvCell).join(',')}\n`).join(''))
  }
}

function csvCell(cell: Cell): string {
  const text = cellText(cell)
  if (text === '') return cell === null ? '' : '""'
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

async function printRowsAsJson({ columns, chunks }: QueryAnswer, write: Write): Promise<void> {
  const names = uniqueNames(columns.map(({ name }) => name))
  let separator = '[\n'
  for await (const chunk of chunks) {
    const objects = chunk.map((row) => JSON.stringify(Object.fromEntries(names.map((name, at) => [name, row[at]]))))
    if (objects.length === 0) continue
    await write(visibleText(`${separator}${objects.join(',\n')}`))
    separator = ',\n'
  }
  await write(separator === '[\n' ? '[]\n' : '\n]\n')
}

/** Makes names unique, since an object cannot repeat one: the second `id` of a join becomes `id_1`. */
function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set<string>()
  return names.map((name) => {
    let unique = name
    for (let count = 1; taken.has(unique); count++) unique = `${name}_${count}`
    taken.add(unique)
    return unique
  })
}
