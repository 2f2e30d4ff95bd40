import { createInterface, type Interface } from 'node:readline/promises'
import { type LakeReader, openLake, type Source } from '../../../views/query.ts'
import type { AnswerFormat } from '../../answers/answer.ts'
import { errorText } from '../../terminal/error-text.ts'
import { printLine } from '../../terminal/output.ts'
import { completeName, type NamedTable } from './complete-name.ts'
import { historyLength, readHistory, writeHistory } from './history.ts'
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
