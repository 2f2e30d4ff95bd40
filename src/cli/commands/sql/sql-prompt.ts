import { readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline/promises'
import { ConfigError } from '../../../errors.ts'
import { type LakeReader, openLake, type Source } from '../../../views/query.ts'
import { type AnswerFormat, printAnswer } from '../../terminal/answer.ts'
import { errorText } from '../../terminal/error-text.ts'
import { printLine } from '../../terminal/output.ts'
import { isBlank, splitStatements } from './statements.ts'

const historyPath = join(homedir(), '.chainlake_history')
const historyLines = 1_000

const help = `End a statement with ; – it may span several lines.
.tables        list the tables and views
.describe NAME list the columns of a table or view
.format NAME   print answers as table, csv or json
.exit          leave (or Ctrl-D)`

/** Opens an interactive prompt on the views of a lake; resolves to the exit code when the user leaves it. */
export async function startPrompt(lakeDir: string, format: AnswerFormat, source: Source): Promise<number> {
  const lake = await openLake(lakeDir, undefined, source)
  const history = readHistory()
  const prompt = createInterface({ input: process.stdin, output: process.stdout, history, historySize: historyLines })
  const state = { busy: false, text: '', format }
  prompt.on('SIGINT', () => {
    if (state.busy) return lake.interrupt()
    state.text = ''
    prompt.write(null, { ctrl: true, name: 'e' })
    prompt.write(null, { ctrl: true, name: 'u' })
    process.stdout.write('\n(.exit or Ctrl-D to leave)\n')
    showPrompt(prompt, state.text)
  })
  prompt.on('history', (lines) => {
    history.splice(0, history.length, ...lines)
  })
  await printLine(`DuckDB on ${lakeDir}; .help lists the commands.`)
  showPrompt(prompt, state.text)
  try {
    for await (const line of prompt) {
      if (state.text === '' && line.trim() === '.exit') break
      state.busy = true
      await takeLine(line, state, lake)
      state.busy = false
      showPrompt(prompt, state.text)
    }
  } finally {
    prompt.close()
    lake.close()
    writeHistory(history)
  }
  return 0
}

type PromptState = { busy: boolean; text: string; format: AnswerFormat }

function showPrompt(prompt: Interface, text: string): void {
  prompt.setPrompt(isBlank(text) ? 'chainlake> ' : '        -> ')
  prompt.prompt()
}

/** Handles one line. An error ends the statement, not the prompt. */
async function takeLine(line: string, state: PromptState, lake: LakeReader): Promise<void> {
  try {
    if (isBlank(state.text) && line.trim().startsWith('.')) return await runDotCommand(line.trim(), state, lake)
    const { statements, rest } = splitStatements(`${state.text}${line}\n`)
    state.text = isBlank(rest) ? '' : rest
    for (const statement of statements) await printAnswer(await lake.query(statement), state.format)
  } catch (error) {
    await printLine(errorText(error))
  }
}

async function runDotCommand(line: string, state: PromptState, lake: LakeReader): Promise<void> {
  const [name, argument = ''] = line.split(/\s+/)
  const literal = `'${argument.replaceAll("'", "''")}'`
  if (name === '.tables')
    await printAnswer(
      await lake.query('select view_name as name, comment from duckdb_views() where not internal order by 1'),
      'table',
    )
  else if (name === '.describe')
    await printAnswer(
      await lake.query(
        `select column_name, data_type, comment from duckdb_columns() where table_name = ${literal} order by column_index`,
      ),
      'table',
    )
  else if (name === '.format' && (argument === 'table' || argument === 'csv' || argument === 'json'))
    state.format = argument
  else if (name === '.help') await printLine(help)
  else await printLine(errorText(unknownCommand(line)))
}

function unknownCommand(line: string): ConfigError {
  return new ConfigError(`The prompt does not know ${JSON.stringify(line)}.`, {
    code: 'config.usage',
    hint: '.help lists the commands.',
  })
}

/** The history, newest first as readline expects it; empty when the file cannot be read. */
function readHistory(): string[] {
  try {
    return readFileSync(historyPath, 'utf8').split('\n').filter(Boolean).reverse()
  } catch {
    return []
  }
}

/** Saves the history. A failure is ignored. */
function writeHistory(lines: readonly string[]): void {
  try {
    writeFileSync(historyPath, `${[...lines].reverse().join('\n')}\n`, { mode: 0o600 })
  } catch {}
}
