import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { lakeExists } from '../../catalog/lake.ts'
import { readTextFile } from '../../config/parameter-values.ts'
import { ConfigError } from '../../errors.ts'
import { replaceByProgram } from '../../lib/files.ts'
import { packageRoot } from '../../lib/package.ts'
import { suggestion } from '../../lib/suggestion.ts'
import { withoutMark } from '../../lib/text.ts'
import { viewsOf } from '../../run/status/remote-lake.ts'
import { type LakeReader, openLake } from '../../views/query.ts'
import type { FlagsOf } from '../flags/command.ts'
import { parseChoice, readSettings } from '../settings.ts'
import { type AnswerFormat, answerFormats, openFileOutput } from '../terminal/answer.ts'
import { textTable } from '../terminal/tables.ts'
import { printLine, writableFile } from '../terminal/terminal.ts'
import type { sqlCommand } from './lake.ts'
import { showAnswer, showNotes, startPrompt } from './sql-prompt.ts'

type SqlFlags = FlagsOf<typeof sqlCommand>

/** `chainlake sql`: runs the query of the command line, of a file or of stdin, or opens a prompt. */
export async function runSql(flags: SqlFlags, [typed]: readonly string[]): Promise<number> {
  if (flags.examples === true) return listExamples()
  const { lake } = await readSettings(flags)
  const format = formatOf(flags)
  const given = [typed, flags.file, flags.example].filter((source) => source !== undefined)
  if (given.length > 1)
    throw new ConfigError('The command has more than one query.', {
      code: 'config.usage',
      hint: 'Give only one of these: a query as an argument, --file, --example.',
    })
  const output = flags.output === undefined ? null : await writableFile('--output', flags.output)
  if (format === 'parquet' && output === null)
    throw new ConfigError('A Parquet file needs a name.', {
      code: 'config.format',
      hint: 'Add --output, such as --output answer.parquet.',
    })
  const isInteractive = given.length === 0 && process.stdin.isTTY && output === null
  const answer = async (viewsFile?: string): Promise<number> => {
    const source = await viewsOf(lake, { viewsFile, check: flags.verify === true ? 'checksum' : 'size' })
    if (isInteractive && format !== 'parquet') return startPrompt(lake.folder, format, source)
    const query =
      flags.example === undefined ? (typed ?? (await readQuery(flags.file))) : await exampleQuery(flags.example)
    if (output === null && flags.example !== undefined && format === 'table') await printLine(`${query}\n`)
    const reader = await openLake(lake.folder, undefined, source)
    try {
      if (output === null) await showAnswer(reader, query, format as AnswerFormat)
      else await writeAnswer(reader, query, format, output)
    } finally {
      reader.close()
    }
    return 0
  }
  if (!isInteractive) await lakeExists(lake)
  const asOf = flags['as-of']
  if (asOf === undefined) return answer()
  const { parseMoment, withLakeAsOf } = await import('../../run/publish/publish-views.ts')
  return withLakeAsOf(lake, parseMoment(asOf), answer)
}

const fileFormats = [...answerFormats, 'parquet'] as const
type FileFormat = (typeof fileFormats)[number]

/** Endings that promise all rows in a format that is not written. */
const otherFormats = /\.(tsv|xlsx?|jsonl|ndjson|gz|zst|zip|arrow|feather|orc|avro|pq)$/i

/** The format of `--format`; without it that of the name of the file, or a table, which has only the first rows of a long answer. */
export function formatOf({ format, output = '' }: Pick<SqlFlags, 'format' | 'output'>): FileFormat {
  const other = format === undefined ? otherFormats.exec(output)?.[0] : undefined
  if (other !== undefined)
    throw new ConfigError(`--output: the ending ${other} names no format that chainlake writes.`, {
      code: 'config.format',
      hint: 'Name the file .csv, .json or .parquet, or give --format.',
    })
  const text = format ?? /\.(csv|json|parquet)$/i.exec(output)?.[1]?.toLowerCase() ?? 'table'
  return parseChoice('--format', text, fileFormats, { code: 'config.format' })
}

async function writeAnswer(reader: LakeReader, query: string, format: FileFormat, file: string): Promise<void> {
  if (format === 'parquet') {
    await replaceByProgram(file, (path) => reader.writeParquet(query, path))
    await showNotes(reader, query)
    return
  }
  const output = await openFileOutput(file)
  try {
    await showAnswer(reader, query, format, output)
    await output.finish()
  } finally {
    await output.discard()
  }
}

async function listExamples(): Promise<number> {
  const examples = await readExamples()
  await printLine(
    textTable(
      ['name', 'question'],
      examples.map(({ name, question }) => [name, question]),
      process.stdout.columns,
    ),
  )
  return 0
}

async function exampleQuery(name: string): Promise<string> {
  const { question, sql } = await findExample(name)
  return `-- ${question}\n${sql}`
}

async function readQuery(file: string | undefined): Promise<string> {
  return file === undefined ? text(process.stdin) : withoutMark(await readTextFile(file, '--file'))
}

const ending = '.sql'

/** The questions of `examples/queries`, which come with chainlake, by name. The first line of each file is the question, as a comment. */
export async function readExamples() {
  const folder = join(packageRoot(), 'examples/queries')
  const files = (await readdir(folder)).filter((file) => file.endsWith(ending)).toSorted()
  return Promise.all(
    files.map(async (file) => {
      const [first = '', ...lines] = (await readFile(join(folder, file), 'utf8')).trim().split('\n')
      return { name: file.slice(0, -ending.length), question: first.replace(/^-- /, ''), sql: lines.join('\n') }
    }),
  )
}

/** The example of a name. Throws ConfigError `config.example`. */
export async function findExample(name: string) {
  const examples = await readExamples()
  const found = examples.find((example) => example.name === name)
  if (found !== undefined) return found
  const names = examples.map((example) => example.name)
  throw new ConfigError(`There is no example ${JSON.stringify(name)}.`, {
    code: 'config.example',
    hint: `${suggestion(name, names)} chainlake sql --examples lists all.`,
  })
}
