import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline/promises'
import { readTextFile } from '../../config/parameter-values.ts'
import { ConfigError } from '../../errors.ts'
import { suggestion } from '../../lib/suggestion.ts'
import { countText, durationText, sqlText, visibleText, withoutMark } from '../../lib/text.ts'
import { type LakeReader, openLake, type QueryAnswer, type Source } from '../../views/query.ts'
import { allOfChainlake } from '../jobs/known-pipelines.ts'
import { parseChoice } from '../settings.ts'
import { type AnswerFormat, answerFormats, openFileOutput, printAnswer } from '../terminal/answer.ts'
import { coloured, errorText, printLine, printText, writableFile } from '../terminal/terminal.ts'
import { writersOf } from './pipeline-description.ts'

/** Opens an interactive prompt on the views of a lake; resolves to the exit code when the user leaves it. */
export async function startPrompt(lakeDir: string, format: AnswerFormat, source: Source): Promise<number> {
  const lake = await openLake(lakeDir, undefined, source)
  const state: PromptState = { busy: false, text: '', format, isTimed: false, file: null }
  let history = readHistory()
  /** Lines of the statement under way that readline has added to the history. */
  let added = 0
  const tables = await readNames(lake)
  const prompt = createInterface({
    input: process.stdin,
    output: process.stdout,
    history: [...history],
    historySize: historyLength,
    completer: (line: string) =>
      completeName(line, { statement: state.text, tables, commands: Object.keys(dotCommands) }),
  })
  prompt.on('SIGINT', () => {
    if (state.busy) return lake.interrupt()
    state.text = ''
    prompt.write(null, { ctrl: true, name: 'e' })
    prompt.write(null, { ctrl: true, name: 'u' })
    process.stdout.write('\n(.exit or Ctrl-D to leave)\n')
    showPrompt(prompt, state.text)
  })
  prompt.on('history', (lines) => {
    history = lines
    added++
  })
  await printLine(`DuckDB on ${lakeDir}; .help lists the commands.`)
  showPrompt(prompt, state.text)
  try {
    for await (const line of prompt) {
      if (state.text === '' && isExit(line)) break
      const before = state.text
      state.busy = true
      await takeLine(line, state, lake)
      state.busy = false
      if (state.text === '') {
        // A statement of several lines is one entry.
        const whole = before === '' ? null : oneLine(`${before}${line}`)
        if (whole !== null && added > 0) history.splice(0, added, whole)
        added = 0
      }
      showPrompt(prompt, state.text)
    }
  } finally {
    prompt.close()
    await endOutput(state).catch(async (error: unknown) => printLine(errorText(error)))
    lake.close()
    writeHistory(history)
  }
  return 0
}

function showPrompt(prompt: Interface, text: string): void {
  prompt.setPrompt(isBlank(text) ? 'chainlake> ' : '        -> ')
  prompt.prompt()
}

/** The tables and views with their columns. */
async function readNames(lake: LakeReader): Promise<NamedTable[]> {
  const { chunks } = await lake.query(
    "select table_name, list(column_name order by column_index) from duckdb_columns() where not internal and schema_name = 'main' group by all order by 1",
  )
  const tables: NamedTable[] = []
  for await (const rows of chunks)
    for (const [name, columns] of rows) tables.push({ name: String(name), columns: (columns as string[]).map(String) })
  return tables
}

/** Throws for a user without HOME and without an entry in /etc/passwd, such as the one of a container with any uid. */
const historyPath = () => join(homedir(), '.chainlake_history')
/** Entries that are kept. */
const historyLength = 1_000

/** The history, newest first as readline expects it; empty when the file cannot be read. */
export function readHistory(): string[] {
  try {
    return readFileSync(historyPath(), 'utf8').split('\n').filter(Boolean).reverse()
  } catch {
    return []
  }
}

/** Saves the history, one entry per line, for this user alone: queries may hold what others should not see. A failure is ignored. */
export function writeHistory(entries: readonly string[]): void {
  try {
    const path = historyPath()
    writeFileSync(path, `${entries.slice(0, historyLength).reverse().join('\n')}\n`, { mode: 0o600 })
    // The mode of a file that exists does not change otherwise.
    chmodSync(path, 0o600)
  } catch {}
}

type NamedTable = { readonly name: string; readonly columns: readonly string[] }

/** More columns than this would fill the screen. */
const mostShown = 200

/**
 * Completions of the last word of a line, and that word, as readline expects them: tables first, then columns of the tables that the statement
 * names, or of all; columns of one table after `table.`; commands for a line that begins with a dot.
 */
export function completeName(
  line: string,
  { statement, tables, commands }: { statement: string; tables: readonly NamedTable[]; commands: readonly string[] },
): [string[], string] {
  if (/^\.\w*$/.test(line)) return [commands.filter((command) => command.startsWith(line)), line]
  const word = /[A-Za-z_][\w]*(?:\.\w*)?$/.exec(line)?.[0] ?? ''
  if (word === '') return [[], word]
  const [, table, start] = /^(\w+)\.(\w*)$/.exec(word) ?? []
  if (table !== undefined) {
    const columns = tables.find(({ name }) => name === table)?.columns ?? []
    return [columns.filter((column) => column.startsWith(start!)).map((column) => `${table}.${column}`), word]
  }
  const text = `${statement} ${line}`
  const named = tables.filter(({ name }) => new RegExp(`\\b${name}\\b`).test(text))
  const columns = (named.length === 0 ? tables : named).flatMap((each) => each.columns)
  const names = [...tables.map(({ name }) => name), ...columns]
  const found = [...new Set(names.filter((name) => name.startsWith(word.toLowerCase())))]
  return [found.slice(0, mostShown), word]
}

/** An answer that remembers, once it is read, whether it found nothing: no row, or one row of zeros and nulls, such as a count. */
function watchedAnswer({ columns, chunks }: QueryAnswer): QueryAnswer & { readonly foundNothing: () => boolean } {
  let found = false
  let rows = 0
  async function* watched(): QueryAnswer['chunks'] {
    for await (const chunk of chunks) {
      rows += chunk.length
      found ||= chunk.some((row) => row.some((cell) => cell !== null && cell !== 0 && cell !== '0'))
      yield chunk
    }
  }
  return { columns, chunks: watched(), foundNothing: () => !found && rows <= 1 }
}

/** Prints an answer, and to stderr the notes on its query. */
export async function showAnswer(
  lake: LakeReader,
  sql: string,
  format: AnswerFormat,
  output?: Parameters<typeof printAnswer>[2],
): Promise<void> {
  const answer = watchedAnswer(await lake.query(sql))
  await printAnswer(answer, format, output)
  await showNotes(lake, sql, answer.foundNothing())
}

export async function showNotes(lake: LakeReader, sql: string, foundNothing = false): Promise<void> {
  for (const note of await notesOn(lake, sql, foundNothing))
    process.stderr.write(`${coloured(`note: ${visibleText(note)}`)}\n`)
}

/** Why statements may have found nothing although the lake, or the chain, has it: sentences for stderr. */
async function notesOn(lake: LakeReader, sql: string, foundNothing: boolean): Promise<string[]> {
  const { statements, rest } = splitStatements(sql)
  const hints = await Promise.all([...statements, rest].map((statement) => lake.hints(statement)))
  const unfilled = [...new Set(hints.flatMap((each) => each.unfilled))]
  const text = hints.map((each) => each.textAsBytes).find((each) => each !== null)
  const address = foundNothing ? unusualAddress(sql) : null
  return [
    ...(unfilled.length === 0 ? [] : [await unfilledNote(unfilled)]),
    ...(text === undefined ? [] : [bytesNote(text)]),
    ...(address === null ? [] : [`Tables have no address ${address} in this form. Write addr(${address}).`]),
  ]
}

function bytesNote(text: string): string {
  const start = 'The query compares bytes (BLOB) with text, which is never equal, although answers show bytes as 0x….'
  if (text === '') return `${start} Compare with from_hex(substr(text, 3)).`
  return `${start} Write from_hex('${text.slice(2)}') instead of '${text}'.`
}

/** A text of the query with an address as tables never have it: 0x with capitals, or with the prefix of a chain. */
function unusualAddress(sql: string): string | null {
  const prefixed = /(?<!addr\(\s*)'[0-9A-Za-z]+-[a-z][a-z0-9]*1[02-9ac-hj-np-z]{38}'/
  const evm = /(?<!addr\(\s*)'(?:0x(?=[0-9a-f]*[A-F])|0X|[PXC]-0x)[0-9A-Fa-f]{40}'/
  return (prefixed.exec(sql) ?? evm.exec(sql))?.[0] ?? null
}

const mostNamed = 3

async function unfilledNote(tables: readonly string[]): Promise<string> {
  const writers = writersOf(await allOfChainlake())
  const named = tables.slice(0, mostNamed).map((name) => {
    const jobs = writers.get(name)?.map(({ pipeline, option }) => `${pipeline}${option === null ? '' : ` --${option}`}`)
    return jobs === undefined ? name : `${name} (run ${jobs.join(' or ')})`
  })
  const more = tables.length - named.length
  const others = more === 0 ? '' : ` and ${countText(more)} more tables of the query`
  return `No run has filled ${named.join(', ')}${others}: that no rows are there says nothing about the chain.`
}

/** The strings, quoted names and comments of a text as wholes, and the characters between them. */
function partsOf(sql: string): string[] {
  const parts: string[] = []
  for (let at = 0; at < sql.length; at += parts.at(-1)!.length)
    parts.push(sql.slice(at, Math.max(endOfQuoted(sql, at), at + 1)))
  return parts
}

function isComment(part: string): boolean {
  return /^--|^\/\*.*\*\/$/s.test(part)
}

/**
 * Splits text into SQL statements at semicolons outside quotes and comments. `rest` is the text after the last semicolon, which an
 * interactive prompt completes.
 */
export function splitStatements(text: string): { statements: string[]; rest: string } {
  const statements = ['']
  for (const part of partsOf(text))
    if (part === ';') statements.push('')
    else statements[statements.length - 1] += part
  const rest = statements.pop() ?? ''
  return { statements: statements.filter((sql) => !isBlank(sql)).map((sql) => sql.trim()), rest }
}

/** A statement in one line, without comments; null if a text in it has several lines. */
export function oneLine(sql: string): string | null {
  const parts = partsOf(sql).map((part) => (isComment(part) || /^\s$/.test(part) ? ' ' : part))
  return parts.some((part) => part.includes('\n')) ? null : parts.join('').trim()
}

/** Whether the text holds only blanks and comments. */
export function isBlank(sql: string): boolean {
  return partsOf(sql).every((part) => isComment(part) || part.trim() === '')
}

/** The end of the string, quoted name or comment that begins at `at`; `at` itself when none begins there. */
function endOfQuoted(text: string, at: number): number {
  const close = (from: number, mark: string): number => {
    const found = text.indexOf(mark, from)
    return found === -1 ? text.length : found + mark.length
  }
  const character = text[at]
  if (character === "'" || character === '"') return close(at + 1, character)
  if (text.startsWith('--', at)) return close(at, '\n')
  if (text.startsWith('/*', at)) return close(at + 2, '*/')
  const dollar = /^\$\w*\$/.exec(text.slice(at, at + 64))?.[0]
  return dollar === undefined ? at : close(at + dollar.length, dollar)
}

type PromptState = {
  busy: boolean
  /** The statement that is not complete yet. */
  text: string
  format: AnswerFormat
  isTimed: boolean
  /** Where answers go instead of the screen. */
  file: Awaited<ReturnType<typeof openFileOutput>> | null
}

type DotCommand = {
  readonly argument: string
  readonly says: string
  readonly run: (argument: string, state: PromptState, lake: LakeReader) => Promise<void>
}

const tablesSql =
  "select view_name as name, comment from duckdb_views() where not internal and schema_name = 'main' order by 1"

/** Under three names: DuckDB and SQLite have the other two. The prompt itself ends. */
const leaving: DotCommand = { argument: '', says: 'leave (or Ctrl-D)', run: async () => undefined }

const dotCommands: Readonly<Record<string, DotCommand>> = {
  '.tables': {
    argument: '',
    says: 'list the tables and views',
    run: async (_, state, lake) => show(lake, tablesSql, state),
  },
  '.describe': {
    argument: 'NAME',
    says: 'list the columns of a table or view',
    run: (name, state, lake) =>
      show(
        lake,
        `select column_name, data_type, comment from duckdb_columns() where schema_name = 'main' and table_name = ${sqlText(name)} order by column_index`,
        state,
      ),
  },
  '.mode': {
    argument: 'NAME',
    says: `print answers as ${answerFormats.join(', ')}`,
    run: async (name, state) => {
      state.format = parseChoice('.mode', name, answerFormats)
    },
  },
  '.timer': {
    argument: 'on|off',
    says: 'print how long each statement takes',
    run: async (value, state) => {
      state.isTimed = parseChoice('.timer', value, ['on', 'off']) === 'on'
    },
  },
  '.read': {
    argument: 'FILE',
    says: 'run the statements of a file',
    run: async (path, state, lake) => {
      const { statements, rest } = splitStatements(withoutMark(await readTextFile(path, '.read')))
      for (const statement of isBlank(rest) ? statements : [...statements, rest]) await show(lake, statement, state)
    },
  },
  '.output': {
    argument: '[FILE]',
    says: 'write answers to a file, which is complete after .output alone',
    run: async (path, state) => {
      await endOutput(state)
      if (path !== '') state.file = await openFileOutput(await writableFile('.output', path))
    },
  },
  '.help': {
    argument: '',
    says: 'list the commands',
    run: () => printLine(helpText()),
  },
  '.exit': leaving,
  '.quit': leaving,
  '.q': leaving,
}

/** Whether a line leaves the prompt. */
export function isExit(line: string): boolean {
  return dotCommands[commandOf(line)] === leaving
}

/** What users of other prompts type, such as those of psql. */
const otherNames: Readonly<Record<string, string>> = {
  exit: '.exit',
  quit: '.quit',
  help: '.help',
  '\\q': '.quit',
  '\\d': '.tables',
  '\\dt': '.tables',
  '\\dv': '.tables',
  '\\?': '.help',
}

/** A line as the command of the prompt that it means; other lines unchanged. */
function commandOf(line: string): string {
  const plain = line.trim()
  const [, name] = /^\\d[tv]?\s+([^;\s]+)\s*;?$/.exec(plain) ?? []
  if (name !== undefined) return `.describe ${name}`
  const known = plain.replace(/\s*;$/, '').toLowerCase()
  return Object.hasOwn(otherNames, known) ? (otherNames[known] ?? plain) : plain
}

function helpText(): string {
  const lines = Object.entries(dotCommands).map(([name, { argument, says }]) => [`${name} ${argument}`.trim(), says])
  const width = Math.max(...lines.map(([usage]) => usage!.length))
  return ['End a statement with ; – it may span several lines.']
    .concat(lines.map(([usage, says]) => `${usage!.padEnd(width)}  ${says}`))
    .join('\n')
}

/** Handles one line. An error ends the statement, not the prompt. */
export async function takeLine(line: string, state: PromptState, lake: LakeReader): Promise<void> {
  try {
    const command = commandOf(line)
    if (isBlank(state.text) && command.startsWith('.')) return await runDotCommand(command, state, lake)
    const { statements, rest } = splitStatements(`${state.text}${line}\n`)
    state.text = isBlank(rest) ? '' : rest
    for (const statement of statements) await show(lake, statement, state)
  } catch (error) {
    await printText(`${coloured(errorText(error), process.stdout)}\n`)
  }
}

async function show(lake: LakeReader, sql: string, state: PromptState): Promise<void> {
  const startedMs = performance.now()
  await showAnswer(lake, sql, state.format, state.file ?? undefined)
  if (state.isTimed) await printLine(`${durationText((performance.now() - startedMs) / 1000)}`)
}

async function runDotCommand(line: string, state: PromptState, lake: LakeReader): Promise<void> {
  const [, name = '', argument = ''] = /^(\S+)\s*(.*)$/.exec(line) ?? []
  const command = Object.hasOwn(dotCommands, name) ? dotCommands[name] : undefined
  if (command === undefined)
    throw new ConfigError(`The prompt does not know ${JSON.stringify(name)}.`, {
      code: 'config.usage',
      hint: `${suggestion(name, Object.keys(dotCommands))} .help lists the commands.`,
    })
  await command.run(argument, state, lake)
}

/** Completes the file of `.output`. Throws `StorageError`. */
async function endOutput(state: PromptState): Promise<void> {
  const { file } = state
  state.file = null
  await file?.finish()
}
