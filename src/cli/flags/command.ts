import type { InferredOptionTypes, Options } from 'yargs'
import type { Parameter, Pipeline } from '../../define/index.ts'
import { DefinitionError } from '../../errors.ts'
import type { PipelinesOf } from '../settings.ts'
import { logLevels } from '../terminal/terminal.ts'

/** A flag. `value` stands for its value in help; default: the last word of its name in capitals. */
export type Flag = Options & { readonly value?: string | undefined }

export type OptionSet = { readonly [flag: string]: Flag }

/** A command line to copy, and what it is for. */
export type Example = { readonly line: string; readonly says: string }

/** What the command line, the help and the documents know of a command; `commands/index.ts` says what runs it. */
export type Command<O extends OptionSet = any> = {
  readonly name: string
  /** The line that help shows, such as `describe <table>`: `<…>` is required, `[…]` optional, `..` repeats. */
  readonly usage: string
  readonly comment: string
  /** A positional argument; with `many` it takes all remaining ones. */
  readonly positionals: readonly { readonly name: string; readonly comment: string; readonly many?: true }[]
  readonly options: O
  /** For help: the first one is the most common use. */
  readonly examples: readonly Example[]
  /** Whether the command takes jobs: then the parameters of their pipelines are flags, too. */
  readonly takesJobs: boolean
}

type CommandDeclaration<O extends OptionSet> = Omit<Command<O>, 'name' | 'positionals' | 'takesJobs'> &
  Partial<Pick<Command<O>, 'positionals' | 'takesJobs'>>

type RunnableCommand = Command & {
  /** Runs the command; resolves to its exit code, or to undefined for 0. */
  readonly run: (args: Arguments) => Promise<number | undefined>
}

/** What a command gets: its flags, its positional arguments in order, and the pipelines that jobs of the command line may be. */
export type Arguments<O extends OptionSet = any> = {
  readonly flags: { readonly [K in keyof InferredOptionTypes<O>]: InferredOptionTypes<O>[K] }
  readonly positionals: readonly string[]
  readonly pipelinesOf: PipelinesOf
}

/** The flags of a command, for what runs it. */
export type FlagsOf<C extends Command> = Partial<Arguments<C['options']>['flags']>

/** Declares a command; its name is the first word of its usage. */
export function command<O extends OptionSet>(declaration: CommandDeclaration<O>): Command<O> {
  return { positionals: [], takesJobs: false, ...declaration, name: declaration.usage.split(' ')[0]! }
}

/** A command with what runs it, which loads heavy modules (DuckDB, undici, the codec) itself, so that help stays fast. */
export function runnable<O extends OptionSet>(
  declaration: Command<O>,
  run: (args: Arguments<O>) => Promise<number | undefined>,
): RunnableCommand {
  return { ...declaration, run }
}

/** The command with all of its flags. */
export async function withAllOptions<C extends Command>(
  command: C,
  loadPipelines: () => Promise<readonly Pipeline[]>,
): Promise<C> {
  if (!command.takesJobs) return command
  const loaded = parameterFlags(await loadPipelines())
  const taken = Object.keys(loaded).find((flag) => Object.hasOwn(command.options, flag))
  if (taken !== undefined)
    throw new DefinitionError(`A parameter of a pipeline has the name of a flag: ${taken}.`, {
      code: 'definition.taken',
      hint: `Rename the parameter: --${taken} is a flag of chainlake ${command.name}.`,
    })
  return { ...command, options: { ...command.options, ...loaded } }
}

/** A flag for each parameter of the pipelines, and for those that they refuse with a reason. Help describes parameters pipeline by pipeline, so these flags need no description. */
export function parameterFlags(pipelines: readonly Pipeline[]): OptionSet {
  const refused = pipelines.flatMap((pipeline) => Object.keys(pipeline.refused))
  const kinds = new Map<string, Parameter['kind'][]>()
  for (const { parameters } of pipelines)
    for (const [name, { kind }] of Object.entries<Parameter>(parameters))
      kinds.set(name, [...(kinds.get(name) ?? []), kind])
  const value = { type: 'string', requiresArg: true } as const
  return {
    ...Object.fromEntries(refused.map((name) => [name, value])),
    ...Object.fromEntries(
      [...kinds].map(([name, uses]) => [name, uses.every((kind) => kind === 'boolean') ? { type: 'boolean' } : value]),
    ),
  }
}

/** The value of a flag in a command line that is not parsed yet; undefined when it is missing. */
export function typedFlag(argv: readonly string[], name: string): string | undefined {
  const at = argv.indexOf(`--${name}`)
  return at === -1 ? argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3) : argv[at + 1]
}

/** The flags of a command line that is not parsed yet that say which modules to execute. */
export function moduleFlags(argv: readonly string[]) {
  return {
    config: typedFlag(argv, 'config'),
    pipelines: typedFlag(argv, 'pipelines'),
    'no-modules': argv.includes('--no-modules'),
  }
}

/**
 * The words that a command line asks help about; null if it asks for none. `chainlake help run`, `chainlake run --help` and
 * `chainlake --help run` are the same.
 */
export function helpWords(argv: readonly string[]): readonly string[] | null {
  const end = argv.indexOf('--')
  const words = end === -1 ? argv : argv.slice(0, end)
  if (words.length === 0 && end === -1) return []
  if (words[0] === 'help') return words.slice(1)
  const isHelp = (word: string) => word === '--help' || word === '-h'
  return words.some(isHelp) ? words.filter((word) => !isHelp(word)) : null
}

/** A flag with a value, which `value` names in the help. */
export function text(describe: string, value?: string) {
  return { type: 'string', requiresArg: true, describe, value } as const
}

/** Such as `--max-lag LAG`: the last word of the name stands for the value if the flag declares no other. */
export function flagText(name: string, { type, alias, value }: Pick<Flag, 'type' | 'alias' | 'value'>): string {
  const short = typeof alias === 'string' ? `-${alias}, ` : ''
  if (type === 'boolean') return `${short}--${name}`
  return `${short}--${name} ${value ?? name.split('-').at(-1)?.toUpperCase()}`
}

/** A flag without a value. */
export function yes(describe: string) {
  return { type: 'boolean', describe } as const
}

/** The help shows these flags together. */
export const storeGroup = 'S3 and PostgreSQL:'

function inS3(describe: string, value?: string) {
  return { ...text(describe, value), group: storeGroup }
}

/** Flags that several commands share. Values are text here; settings.ts checks them together with environment and chainlake.yaml. */
export const jsonFlag = { json: yes('Print the result as JSON on stdout') } as const

export const commonFlags = {
  config: text('Configuration file [./chainlake.yaml]', 'FILE'),
  'log-level': text(`Lowest level of log lines: ${logLevels.join(', ')} [info; warn on a terminal]`),
} as const

/** For commands that load the pipelines of modules. */
export const modulesFlag = {
  pipelines: text(
    'Modules that export pipelines, separated by commas, in addition to those of chainlake.yaml; they are executed',
    'FILES',
  ),
  'no-modules': yes(
    'Execute no modules, for a folder that you do not trust: pipelines of chainlake.yaml and --pipelines are unknown then',
  ),
} as const

/** For commands that also know what is declared without a lake. */
export const ownLakeFlag = {
  lake: text('Folder of a lake: also the tables and views that it keeps', 'FOLDER'),
} as const

export const lakeFlag = {
  lake: text('Folder of the lake, or postgres://user@host/database for a catalog in PostgreSQL [./output]', 'FOLDER'),
  data: inS3('Location of the data files of a new lake: s3://bucket/prefix [the folder of the lake]', 's3://…'),
  folder: inS3('With a catalog in PostgreSQL: local folder for the views [./output]'),
  's3-endpoint': inS3('URL of an S3 service other than AWS [as when the lake was created]', 'URL'),
  's3-region': inS3('Region of the bucket [as when the lake was created, or from the AWS settings]'),
  's3-path-style': inS3(
    'true: URLs are http://host/bucket/key, as most services require [as when the lake was created]',
    'true',
  ),
  cache: inS3('Folder for downloaded files [.cache in the folder of the lake]', 'FOLDER'),
  'cache-size': inS3('Maximum size of the cache [2GB]'),
  'max-download': inS3('Maximum download of one query or one merge [10GB]', 'SIZE'),
} as const

export const asOfFlag = {
  'as-of': text(
    'Show the lake as of a snapshot id, or of a time such as 2026-11-21T10:35 (UTC without a zone)',
    'TIME',
  ),
} as const

export const nodeFlags = {
  'node-url': text('Base URL of the node [http://127.0.0.1:9650]'),
  concurrency: text('Number of concurrent requests [4]', 'N'),
  threads: text('Worker threads for a range of blocks [one per 65,536 containers or blocks, at most 4]', 'N'),
  timeout: text('Timeout of one request, such as 30s', 'TIME'),
  'network-id': text(
    'Network id of the node (1 is Avalanche mainnet), for a node without info API; a node with another id is refused',
  ),
  tries: text(
    'Attempts per request before the run fails [8; a source that refuses the first connection is given up after 5s]',
    'N',
  ),
  'max-wait': text(
    'Longest wait that a service may demand; for a longer one the run ends with exit code 7 [15m]',
    'TIME',
  ),
} as const

export const serviceFlags = {
  'service-profile': text('Profile of the REST service: devnet, neutral, public, or a YAML file [devnet]'),
  'data-url': text("Base URL of the REST service [the profile's]"),
  'metrics-url': text("Base URL of the metrics host [the profile's]"),
} as const

/** Which jobs are meant. */
export const jobFlags = { all: yes('All jobs of chainlake.yaml') } as const
