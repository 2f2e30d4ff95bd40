import type { Parameter, Pipeline } from '../define/index.ts'
import { ConfigError } from '../errors.ts'
import { suggestion } from '../lib/suggestion.ts'
import type { CommandGroup } from './commands/index.ts'
import { describePipeline } from './commands/pipeline-description.ts'
import { type Command, type Example, type Flag, moduleFlags, type OptionSet } from './flags/command.ts'
import { knownPipelines, loadPipelines } from './jobs/known-pipelines.ts'
import { readSettings, type SettingFlags, type Settings } from './settings.ts'
import { described, wrapped } from './terminal/tables.ts'

/** The help about these words. Throws `ConfigError` for an unknown command or pipeline. */
export async function helpText(
  words: readonly string[],
  groups: readonly CommandGroup[],
  width: number,
): Promise<string> {
  const commands = groups.flatMap((group) => group.commands)
  const [first] = words
  const command = commands.find(({ name }) => words.includes(name))
  if (command !== undefined) return (await jobHelp(words, command, width)) ?? commandHelp(command, width)
  if (first === undefined || first.startsWith('-')) return generalHelp(groups, width)
  const run = commands.find(({ name }) => name === 'run')
  const ofPipeline = run === undefined ? null : await jobHelp(['run', ...words], run, width).catch(() => null)
  if (ofPipeline !== null) return ofPipeline
  throw new ConfigError(`There is no command or pipeline ${first}.`, {
    code: 'config.unknown-command',
    hint: suggestion(
      first,
      commands.map(({ name }) => name),
    ),
  })
}

/** The help of the job that follows a command that takes jobs; null if no job follows. */
async function jobHelp(words: readonly string[], command: Command, width: number): Promise<string | null> {
  if (!command.takesJobs) return null
  const following = words.slice(words.indexOf(command.name) + 1)
  if (following.length === 0) return null
  const found = await findPipeline(following, moduleFlags(words))
  return found === null ? null : pipelineHelp(found.name, found.pipeline, command, width)
}

/** The help of chainlake: each group of commands with the first example of its first command. */
function generalHelp(groups: readonly CommandGroup[], width: number): string {
  return [
    ...wrapped(
      'Exports Avalanche chain data to partitioned Parquet files, exactly once, with DuckDB views on top.',
      width,
    ),
    '',
    'chainlake <command> [flags]',
    ...groups.flatMap(({ title, commands }) => [
      ...list(
        title,
        commands.map(({ usage, comment }) => [usage, comment]),
        width,
      ),
      ...exampleLines(commands[0]?.examples.slice(0, 1) ?? [], width),
    ]),
    ...list('help', helpEntries, width),
    ...list(
      'exit codes',
      exitCodes.map(({ code, short }) => [code, short]),
      width,
    ),
  ].join('\n')
}

const helpEntries = [
  ['help <command>', 'Flags and examples of a command; the same as chainlake <command> --help'],
  ['run <pipeline> --help', 'Parameters, tables and examples of a pipeline; chainlake pipelines lists them'],
  ['--version', 'The version of chainlake'],
] as const

/** The help of a command, without the parameters of pipelines: each pipeline shows its own. */
function commandHelp(
  { name, usage, comment, positionals, options, examples, takesJobs }: Command,
  width: number,
): string {
  const notes = takesJobs
    ? [
        `Each parameter of a pipeline is a flag, too: \`chainlake ${name} PIPELINE --help\` lists them with examples, and \`chainlake pipelines\` lists the pipelines.`,
      ]
    : []
  return [
    ...wrapped(`${comment}.`, width),
    '',
    `chainlake ${usage} [flags]`,
    ...list(
      'arguments',
      positionals.map((positional) => [positional.name, positional.comment]),
      width,
    ),
    ...flagSections(options, width),
    ...section(
      'parameters',
      notes.flatMap((note) => wrapped(note, width - 2)).map((line) => `  ${line}`),
    ),
    ...section('examples', exampleLines(examples, width)),
  ].join('\n')
}

/** A title in capitals with the lines below it; nothing without lines. */
function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title.toUpperCase(), ...lines]
}

export function list(
  title: string,
  entries: readonly (readonly [name: string, text: string])[],
  width: number,
): string[] {
  return section(title, described(entries, width))
}

/** Examples are not broken, so that they can be copied. */
function exampleLines(examples: readonly Example[], width: number): string[] {
  return examples.flatMap(({ line, says }) => [...wrapped(`# ${says}`, width - 2), line].map((text) => `  ${text}`))
}

/** The help of a pipeline for a command that takes jobs, such as run: `name` is that of the pipeline, or of a job of chainlake.yaml. */
function pipelineHelp(name: string, pipeline: Pipeline, command: Command, width: number): string {
  const { comment, walk, parameters, tables } = describePipeline(pipeline)
  const isJob = name !== pipeline.name
  return [
    ...wrapped(`${name}: ${isJob ? `a job of chainlake.yaml, pipeline ${pipeline.name}. ` : ''}${comment}`, width),
    '',
    `chainlake ${command.name} ${name} [flags]`,
    ...list('reads', [[sourceText(pipeline), walk]], width),
    ...list(
      'writes',
      tables.length === 0
        ? [['tables', 'The values of a job decide which tables it fills.']]
        : tables.map((table) => [
            table.name,
            table.option === undefined ? table.comment : `${table.comment} With --${table.option}.`,
          ]),
      width,
    ),
    ...list(
      'parameters',
      parameters.map(({ name: parameter, kind, required, rule, comment: meaning }) => [
        flagText(parameter, { type: kind === 'boolean' ? 'boolean' : 'string', value: valueWords[kind] }),
        [...(required ? ['Required.'] : []), meaning, ...ruleText(kind, rule)].join(' '),
      ]),
      width,
    ),
    ...section(
      'values',
      valueNotes(pipeline)
        .flatMap((note) => wrapped(note, width - 2))
        .map((line) => `  ${line}`),
    ),
    ...section(
      'other flags',
      wrapped(otherFlags(pipeline, command), width - 2).map((line) => `  ${line}`),
    ),
    ...section('examples', exampleLines(isJob ? jobExamples(name) : pipelineExamples(pipeline), width)),
  ].join('\n')
}

const valueWords: Readonly<Record<Parameter['kind'], string | undefined>> = {
  text: undefined,
  whole: 'N',
  boolean: undefined,
  list: 'LIST',
  time: 'TIME',
  abi: 'FILE',
  bound: 'N',
  range: 'A:B',
}

/** What a pipeline reads, such as `a node (--node-url)`. */
export function sourceText({ reads }: Pipeline): string {
  if (reads === 'node') return 'a node (--node-url)'
  return reads === 'service' ? 'the REST service' : `the service ${reads.service}`
}

/** Of a kind with a note the note is the rule. */
function ruleText(kind: Parameter['kind'], rule: string): string[] {
  return rule === '' || kind === 'bound' || kind === 'range' ? [] : [`(${rule.replace(/^(each )?must be /, '$1')})`]
}

/** How to write values of several parameters. */
export function valueNotes({ parameters }: Pipeline): string[] {
  const declared = Object.values<Parameter>(parameters)
  const kinds = new Set(declared.map(({ kind }) => kind))
  const takesTimes = declared.some(({ kind, timeless }) => kind === 'bound' && timeless === null)
  return [
    ...(kinds.has('bound') ? ['A bound of a range is 1000000, 1_000_000 or 12M; -1000 counts from the end.'] : []),
    ...(takesTimes
      ? [
          'A date or a time as a bound, such as 2026-01-31 or 2026-01-31T12:00 (UTC), is the first block at or after it.',
        ]
      : []),
    ...(kinds.has('range')
      ? ['In A:B, A is inclusive and B is exclusive; A: goes to the end, :B begins at the first.']
      : []),
    ...(kinds.has('list') ? ['A LIST is a,b,c, @FILE or query:SQL.'] : []),
  ]
}

function otherFlags({ reads }: Pipeline, { name }: Command): string {
  return [
    reads === 'node' ? '--node-url URL is the node,' : '--service-profile PROFILE describes the service,',
    `--lake FOLDER the lake; \`chainlake ${name} --help\` lists all other flags.`,
  ].join(' ')
}

/** Three commands: to see what a run would do, to run it, and to look at the rows. */
export function pipelineExamples(pipeline: Pipeline): Example[] {
  const { name, reads, parameters } = pipeline
  const source =
    reads === 'node' ? ' --node-url http://127.0.0.1:9650' : reads === 'service' ? ' --service-profile public' : ''
  const values = Object.entries<Parameter>(parameters).flatMap(([flag, parameter]) => {
    const value = exampleValue(flag, parameter)
    return value === null ? [] : [` --${flag} ${shellWord(value)}`]
  })
  const job = `${name}${values.join('')}`
  return [
    { line: `chainlake plan ${job}${source}`, says: 'what a run would fetch' },
    Object.hasOwn(parameters, 'range')
      ? { line: `chainlake run ${job}${source} --range 1M:2M`, says: 'from 1,000,000 on, without 2,000,000' }
      : { line: `chainlake run ${job}${source}`, says: 'what is new since the last run, or all of it' },
    exampleQuery(pipeline),
  ]
}

function jobExamples(name: string): Example[] {
  return [
    { line: `chainlake plan ${name}`, says: 'what a run would fetch' },
    { line: `chainlake run ${name}`, says: 'what is new since the last run, or all of it' },
    { line: `chainlake run ${name} --follow`, says: 'keep running, until Ctrl-C' },
  ]
}

function exampleQuery(pipeline: Pipeline): Example {
  const [table] = Object.values<{ readonly name: string }>(pipeline.tables)
  // A job that may name its table has tables of its own, which the pipeline does not know.
  return table === undefined || Object.hasOwn(pipeline.parameters, 'table')
    ? { line: 'chainlake tables --lake ./output', says: 'the tables of the lake' }
    : { line: `chainlake sql "from ${table.name} limit 10"`, says: 'the rows' }
}

/** A value for a required parameter, or for one that declares an example. */
function exampleValue(name: string, { kind, required, example, choices, least }: Parameter): string | null {
  if (example !== null) return example
  if (!required) return null
  if (choices?.[0] !== undefined) return choices[0]
  const byKind: Partial<Record<Parameter['kind'], string>> = {
    whole: String(least),
    list: `@${name}.txt`,
    time: '2026-01-01',
  }
  return byKind[kind] ?? name.toUpperCase()
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text}'`
}

/** The flags of a command by group; those without a group come first. */
function flagSections(options: OptionSet, width: number): string[] {
  const groups = new Map<string, [name: string, text: string][]>([['flags', []]])
  for (const [name, flag] of Object.entries(options)) {
    const group = flag.group?.replace(/:$/, '') ?? 'flags'
    groups.set(group, [...(groups.get(group) ?? []), [flagText(name, flag), flag.describe ?? '']])
  }
  return [...groups].flatMap(([title, entries]) => list(title, entries, width))
}

/** Such as `--max-lag LAG`: the last word of the name stands for the value if the flag declares no other. */
export function flagText(name: string, { type, alias, value }: Pick<Flag, 'type' | 'alias' | 'value'>): string {
  const short = typeof alias === 'string' ? `-${alias}, ` : ''
  if (type === 'boolean') return `${short}--${name}`
  return `${short}--${name} ${value ?? name.split('-').at(-1)?.toUpperCase()}`
}

/**
 * The first pipeline, or job of chainlake.yaml, among the words of a command line; null if none of them is one. Throws `ConfigError` if the
 * first word is no flag and no known name.
 */
export async function findPipeline(
  words: readonly string[],
  flags: SettingFlags,
): Promise<{ readonly name: string; readonly pipeline: Pipeline } | null> {
  const pipelines = await loadPipelines(flags)
  const jobs = await jobsOf(flags)
  const named = (name: string) => pipelines.find((pipeline) => pipeline.name === name)
  for (const word of words) {
    const pipeline = named(Object.hasOwn(jobs, word) ? String(jobs[word]?.pipeline) : word)
    if (pipeline !== undefined) return { name: word, pipeline }
  }
  const [first = ''] = words
  if (first.startsWith('-')) return null
  throw new ConfigError(`There is no pipeline or job ${JSON.stringify(first)}.`, {
    code: 'config.unknown-pipeline',
    hint: suggestion(first, [...Object.keys(jobs), ...pipelines.map(({ name }) => name)]),
  })
}

/** The jobs of chainlake.yaml; none if it has mistakes, which must not hide the help. */
async function jobsOf(flags: SettingFlags): Promise<Settings['jobs']> {
  try {
    return (await readSettings(flags, knownPipelines)).jobs
  } catch (error) {
    if (error instanceof ConfigError) return {}
    throw error
  }
}

/** Every exit code of a command: in a word or two for the help, and in full for the README. */
export const exitCodes: readonly { readonly code: string; readonly short: string; readonly means: string }[] = [
  { code: '0', short: 'success', means: 'success, also when there was nothing new' },
  { code: '1', short: 'unexpected error', means: 'unexpected error' },
  { code: '2', short: 'wrong input', means: 'wrong flag, configuration or query' },
  {
    code: '3',
    short: 'source failed',
    means: 'the node or service did not give a usable answer, also until `--deadline` passed, or a list has no end',
  },
  { code: '4', short: 'invalid bytes or rows', means: 'invalid bytes or rows' },
  {
    code: '5',
    short: 'lake locked, full or of another network',
    means:
      'the lake is locked, of another network or version, or its disk is full; the catalog or the store cannot be reached',
  },
  { code: '6', short: 'lake damaged', means: "the lake's data is damaged" },
  {
    code: '7',
    short: 'to be continued: run again later',
    means:
      'to be continued: everything complete is committed; the service accepts no request before `resumeAt` (in `--json`), or `--deadline` passed (`unfinished`), or `plan --tasks` names jobs to plan again; not a failure',
  },
  {
    code: '8',
    short: 'busy: another run holds a stream',
    means: 'busy: other runs hold streams of some jobs (`busy` in `--json`); the other jobs ran',
  },
  {
    code: '9',
    short: 'stale (status --max-age), or incomplete (gaps --check)',
    means:
      'stale: the head of a stream was last reached longer ago than `status --max-age` allows; old: its newest block is older than `status --max-block-age` allows; or incomplete: `gaps --check` found something missing',
  },
  { code: '130, 143', short: 'stopped by a signal', means: 'stopped by SIGINT or SIGTERM, after a last commit' },
]
