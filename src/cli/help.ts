import type { Pipeline } from '../define/index.ts'
import { groupBy } from '../lib/arrays.ts'
import { exampleLines, pipelineText } from './commands/pipeline-description.ts'
import { argumentOf, type Command, flagText, moduleFlags, type OptionSet } from './flags/command.ts'
import { unknownCommand } from './flags/parser.ts'
import { knownPipelines, loadPipelines, unknownJob } from './jobs/known-pipelines.ts'
import { readSettings, type SettingFlags, type Settings, whenWrongInput } from './settings.ts'
import { listing, notes, section, wrapped } from './terminal/tables.ts'

/** Commands in groups, as `commands/index.ts` lists them. */
type CommandGroups = readonly { readonly title: string; readonly commands: readonly Command[] }[]

/** The help about these words. Throws `ConfigError` for an unknown command or pipeline. */
export async function helpText(words: readonly string[], groups: CommandGroups, width: number): Promise<string> {
  const commands = groups.flatMap((group) => group.commands)
  const [first] = words
  const command = commands.find(({ name }) => words.includes(name))
  if (command !== undefined) return (await jobHelp(words, command, width)) ?? commandHelp(command, width)
  if (first === undefined || first.startsWith('-')) return generalHelp(groups, width)
  const run = commands.find(({ name }) => name === 'run')
  const ofPipeline = run === undefined ? null : await jobHelp(['run', ...words], run, width).catch(() => null)
  if (ofPipeline !== null) return ofPipeline
  throw unknownCommand(first, commands, 'command or pipeline')
}

/** The help of the job that follows a command that takes jobs; null if no job follows. */
async function jobHelp(words: readonly string[], command: Command, width: number): Promise<string | null> {
  if (!command.takesJobs) return null
  const following = words.slice(words.indexOf(command.name) + 1)
  if (following.length === 0) return null
  const found = await findPipeline(following, moduleFlags(words))
  return found === null ? null : pipelineText(found.pipeline, width, { name: found.name, command: command.name })
}

/** The help of chainlake: each group of commands with the first example of its first command. */
function generalHelp(groups: CommandGroups, width: number): string {
  return [
    ...wrapped(
      'Exports Avalanche chain data to partitioned Parquet files, exactly once, with DuckDB views on top.',
      width,
    ),
    '',
    'chainlake <command> [flags]',
    ...groups.flatMap(({ title, commands }) => [
      ...listing(
        title,
        commands.map(({ usage, comment }) => [usage, comment]),
        width,
      ),
      ...exampleLines(commands[0]?.examples.slice(0, 1) ?? [], width),
    ]),
    ...listing('help', helpEntries, width),
    ...listing(
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
function commandHelp({ name, usage, comment, argument, options, examples, takesJobs }: Command, width: number): string {
  const parameters = takesJobs
    ? [
        `Each parameter of a pipeline is a flag, too: \`chainlake ${name} PIPELINE --help\` lists them with examples, and \`chainlake pipelines\` lists the pipelines.`,
      ]
    : []
  return [
    ...wrapped(`${comment}.`, width),
    '',
    `chainlake ${usage} [flags]`,
    ...listing('arguments', argument === undefined ? [] : [[argumentOf({ usage }).name ?? '', argument]], width),
    ...flagSections(options, width),
    ...notes('parameters', parameters, width),
    ...section('examples', exampleLines(examples, width)),
  ].join('\n')
}

/** The flags of a command by group; those without a group come first. */
function flagSections(options: OptionSet, width: number): string[] {
  const groups = groupBy(Object.entries(options), ([, { group = 'flags' }]) => group)
  return [...groups].flatMap(([title, flags]) => {
    const entries = flags.map(([name, flag]) => [flagText(name, flag), flag.describe ?? ''] as const)
    return listing(title, entries, width)
  })
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
  // Mistakes in chainlake.yaml must not hide the help.
  const { jobs } = await readSettings(flags, knownPipelines).catch(whenWrongInput<Pick<Settings, 'jobs'>>({ jobs: {} }))
  const named = (name: string) => pipelines.find((pipeline) => pipeline.name === name)
  for (const word of words) {
    const pipeline = named(Object.hasOwn(jobs, word) ? String(jobs[word]?.pipeline) : word)
    if (pipeline !== undefined) return { name: word, pipeline }
  }
  const [first = ''] = words
  if (first.startsWith('-')) return null
  throw unknownJob(
    first,
    Object.keys(jobs),
    pipelines.map(({ name }) => name),
  )
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
  {
    code: '129, 130, 143',
    short: 'stopped by a signal',
    means: 'stopped by SIGHUP (its terminal closed), SIGINT or SIGTERM, after a last commit',
  },
]
