import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline/promises'
import { type LakeReader, openLake, type Source } from '../../../views/query.ts'
import type { AnswerFormat } from '../../answers/answer.ts'
import { errorText } from '../../terminal/error-text.ts'
import { printLine } from '../../terminal/output.ts'
import { dotCommands, endOutput, isExit, type PromptState, takeLine } from './prompt-lines.ts'
import { isBlank, oneLine } from './statements.ts'

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
    'select table_name, list(column_name order by column_index) from duckdb_columns() where not internal group by all order by 1',
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

/** A table or view with its columns. */
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
