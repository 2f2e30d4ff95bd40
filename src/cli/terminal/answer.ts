import { StorageError } from '../../errors.ts'
import { type FileOutput, openOutput } from '../../lib/files.ts'
import { counted, visibleText } from '../../lib/text.ts'
import { type Cell, cellText, type QueryAnswer } from '../../views/query.ts'
import { cutText, textColumns } from './status-lines.ts'
import { printText, terminalOf } from './terminal.ts'

type Terminal = NonNullable<ReturnType<typeof terminalOf>>

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
  { write, terminal }: AnswerOutput = { write: printText, terminal: terminalOf(process.stdout) },
): Promise<void> {
  if (format === 'csv') return printCsv(answer, write)
  if (format === 'json') return printRowsAsJson(answer, write)
  if (format === 'line') return printLines(answer, write)
  await write(`${await answerText(answer, terminal)}\n`)
}

type Write = AnswerOutput['write']

/** An answer as a table that fits into a terminal, with its first and last rows; without a terminal the first rows. A last line says what is left out. */
export async function answerText({ columns, chunks }: QueryAnswer, terminal: Terminal | null): Promise<string> {
  const { first, last, count } = await endsOfAnswer(chunks, terminal === null ? onPaper : inTerminal)
  const rows = last.length === 0 ? first : [...first, undefined, ...last]
  const longest = (at: number) =>
    terminal !== null ? longestLine : at < columns.length - 1 ? cellWidth : lastCellWidth
  const texts = rows.map((row) => row?.map((cell, at) => (cell === null ? null : cutText(lineOf(cell), longest(at)))))
  const names = columns.map(({ name, type }) => ({ name: lineOf(name), type }))
  const { text, shownColumns } = answerTable(names, texts, terminal ?? paper)
  const shownRows = first.length + last.length
  const facts = [
    count !== null
      ? counted(count, 'row')
      : terminal === null
        ? `the first ${tableRows} rows; --format csv or json prints all`
        : `the first ${counted(shownRows, 'row')} of many`,
    ...(count !== null && shownRows < count ? [`${shownRows} shown`] : []),
    ...(shownColumns < columns.length
      ? [`${columns.length} columns, ${shownColumns} shown: .mode line or --format line shows all`]
      : []),
  ]
  return `${text}\n(${facts.join(', ')})`
}

/** Where there is no terminal. */
const paper: Terminal = { columns: Number.POSITIVE_INFINITY, dim: (text) => text }

/** No terminal shows more of a cell. */
const longestLine = 2_000

/** The beginning of a cell on one line, without control characters. */
function lineOf(cell: Cell): string {
  return visibleText(cellText(cell).slice(0, longestLine).replace(/\s/g, ' '))
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

/** Between two columns. */
const gap = '  '
/** A column of texts is not cut below this width while other columns can be left out. */
const narrowest = 8
/** Stands for columns or rows that are left out. */
const leftOut = '…'
const nullText = 'null'

/**
 * Rows of texts as a table that fits into a terminal, with numbers to the right: texts are cut first, then columns in the middle are left out. A
 * row of undefined stands for rows that are left out.
 */
function answerTable(
  columns: QueryAnswer['columns'],
  rows: readonly (readonly (string | null)[] | undefined)[],
  terminal: Terminal,
) {
  const natural = columns.map(({ name }, column) =>
    rows.reduce(
      (widest, row) => Math.max(widest, textColumns(row === undefined ? leftOut : (row[column] ?? nullText))),
      textColumns(name),
    ),
  )
  const { shown, widths } = fitted(columns, natural, terminal.columns)
  const isLeftOut = shown.length < columns.length
  const middle = Math.ceil(shown.length / 2)
  const padded = (text: string | null, column: number): string => {
    const cut = cutText(text ?? nullText, widths.get(column)!)
    const space = ' '.repeat(Math.max(0, widths.get(column)! - textColumns(cut)))
    const cell = text === null ? terminal.dim(cut) : cut
    return isNumeric(columns[column]!.type) ? space + cell : cell + space
  }
  const lineOf = (textOf: (column: number) => string | null): string => {
    const cells = shown.map((column) => padded(textOf(column), column))
    return (isLeftOut ? cells.toSpliced(middle, 0, leftOut) : cells).join(gap).trimEnd()
  }
  const lines = [
    lineOf((column) => columns[column]!.name),
    ...rows.map((row) => lineOf((column) => (row === undefined ? leftOut : (row[column] ?? null)))),
  ]
  return { text: lines.join('\n'), shownColumns: shown.length }
}

function isNumeric(type: string): boolean {
  return /^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DECIMAL|DOUBLE|FLOAT|BIGNUM|VARINT)\b(?!.*\[\]$)/.test(type)
}

/** The columns that are shown, and their widths. The first and the last ones are the most telling: those in the middle leave first. */
function fitted(
  columns: QueryAnswer['columns'],
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

type Row = readonly Cell[]

/** What is shown of an answer: up to `whole` rows; of a longer one `atEnd` rows at each end, if it has at most `read` rows. */
type Extent = { readonly whole: number; readonly atEnd: number; readonly read: number }

/** In a terminal. A very long answer is not read to its end, so that a large table is not read whole. */
const inTerminal: Extent = { whole: 40, atEnd: 20, read: 100_000 }
const onPaper: Extent = { whole: tableRows, atEnd: 0, read: tableRows }

/** Reads what is shown of an answer: its first and last rows, or only the first ones of a very long answer, and then `count` is null. */
export async function endsOfAnswer(chunks: AsyncIterable<readonly Row[]>, { whole, atEnd, read } = inTerminal) {
  const first: Row[] = []
  let last: Row[] = []
  let count = 0
  for await (const chunk of chunks) {
    const taken = Math.max(0, Math.min(chunk.length, whole - first.length))
    first.push(...chunk.slice(0, taken))
    last = [...last, ...chunk.slice(taken)].slice(-atEnd)
    count += chunk.length
    if (count > read) return { first, last: [], count: null }
  }
  if (count <= whole) return { first, last: [], count }
  // The first rows may hold some of the last ones, where few follow them.
  const end = [...first.slice(atEnd), ...last].slice(-atEnd)
  return { first: first.slice(0, atEnd), last: end, count }
}

/** Where answers of queries go. */
type AnswerOutput = {
  readonly write: (text: string) => Promise<void>
  /** Null for files and other programs. */
  readonly terminal: Terminal | null
}

/** Writes answers to a file; see `openOutput`. Throws `StorageError`. */
export async function openFileOutput(file: string): Promise<AnswerOutput & FileOutput> {
  const attempt = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (cause) {
      throw new StorageError(`The answer cannot be written to ${file}.`, {
        code: 'storage.output',
        details: { reason: (cause as Error).message },
        hint: 'Check the free space and the permissions of the folder.',
        cause,
      })
    }
  }
  const output = await attempt(() => openOutput(file))
  return {
    terminal: null,
    write: (text) => attempt(() => output.write(text)),
    finish: () => attempt(output.finish),
    discard: output.discard,
  }
}
