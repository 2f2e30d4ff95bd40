import { readFile } from 'node:fs/promises'
import { ConfigError } from '../../../errors.ts'
import { durationText } from '../../../lib/text/duration-text.ts'
import { sqlText } from '../../../lib/text/sql-quote.ts'
import { withoutMark } from '../../../lib/text/utf8.ts'
import type { LakeReader } from '../../../views/query.ts'
import { type AnswerFormat, answerFormats } from '../../answers/answer.ts'
import { type AnswerFile, openFileOutput } from '../../answers/answer-output.ts'
import { errorText } from '../../terminal/error-text.ts'
import { printLine, printText } from '../../terminal/output.ts'
import { suggestion } from '../../terminal/suggest.ts'
import { coloured } from '../../terminal/terminal.ts'
import { writableFile } from '../../terminal/writable-file.ts'
import { showAnswer } from './query-notes.ts'
import { isBlank, splitStatements } from './statements.ts'

export type PromptState = {
  busy: boolean
  /** The statement that is not complete yet. */
  text: string
  format: AnswerFormat
  isTimed: boolean
  /** Where answers go instead of the screen. */
  file: AnswerFile | null
}

type DotCommand = {
  readonly argument: string
  readonly says: string
  readonly run: (argument: string, state: PromptState, lake: LakeReader) => Promise<void>
}

const tablesSql = 'select view_name as name, comment from duckdb_views() where not internal order by 1'

/** Under three names: DuckDB and SQLite have the other two. The prompt itself ends. */
const leaving: DotCommand = { argument: '', says: 'leave (or Ctrl-D)', run: async () => undefined }

export const dotCommands: Readonly<Record<string, DotCommand>> = {
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
        `select column_name, data_type, comment from duckdb_columns() where table_name = ${sqlText(name)} order by column_index`,
        state,
      ),
  },
  '.mode': {
    argument: 'NAME',
    says: `print answers as ${answerFormats.join(', ')}`,
    run: async (name, state) => {
      const format = answerFormats.find((known) => known === name)
      if (format === undefined) throw wrongArgument('.mode', answerFormats, name)
      state.format = format
    },
  },
  '.timer': {
    argument: 'on|off',
    says: 'print how long each statement takes',
    run: async (value, state) => {
      if (value !== 'on' && value !== 'off') throw wrongArgument('.timer', ['on', 'off'], value)
      state.isTimed = value === 'on'
    },
  },
  '.read': {
    argument: 'FILE',
    says: 'run the statements of a file',
    run: async (path, state, lake) => {
      const { statements, rest } = splitStatements(await readSql(path))
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

function wrongArgument(name: string, choices: readonly string[], given: string): ConfigError {
  return new ConfigError(`${name} must be one of ${choices.join(', ')}, not ${JSON.stringify(given)}.`, {
    code: 'config.usage',
    hint: `Such as ${name} ${choices[0]}.`,
  })
}

/** Completes the file of `.output`. Throws `StorageError`. */
export async function endOutput(state: PromptState): Promise<void> {
  const { file } = state
  state.file = null
  await file?.finish()
}

async function readSql(path: string): Promise<string> {
  try {
    return withoutMark(await readFile(path, 'utf8'))
  } catch (cause) {
    throw new ConfigError(`The file ${JSON.stringify(path)} cannot be read.`, {
      code: 'config.unreadable',
      details: { reason: (cause as NodeJS.ErrnoException).code },
      hint: 'Give .read the path of a file with SQL.',
      cause,
    })
  }
}
