import { flagName, type Setting, settings } from '../../config/settings.ts'
import type { Parameter, Pipeline } from '../../define/index.ts'
import { DefinitionError } from '../../errors.ts'
import { groupBy } from '../../lib/arrays.ts'
import type { PipelinesOf } from '../settings.ts'

type Flag = {
  readonly type: 'string' | 'boolean'
  readonly describe?: string
  /** What stands for its value in help; default: the last word of its name in capitals. */
  readonly value?: string | undefined
  /** One letter, such as the `o` of `-o`. */
  readonly alias?: string
  /** The help shows flags of a group together, below its name. */
  readonly group?: string
}

export type OptionSet = { readonly [flag: string]: Flag }

/** What the command line, the help and the documents know of a command; `commands/index.ts` says what runs it. */
export type Command<O extends OptionSet = any> = {
  readonly name: string
  /** The line that help shows, such as `describe <table>`: `<…>` is required, `[…]` optional, `..` repeats. */
  readonly usage: string
  readonly comment: string
  /** What the argument of its usage is. */
  readonly argument?: string
  readonly options: O
  /** Command lines to copy, and what they are for. For help: the first one is the most common use. */
  readonly examples: readonly { readonly line: string; readonly says: string }[]
  /** Whether the command takes jobs: then the parameters of their pipelines are flags, too. */
  readonly takesJobs: boolean
}

type CommandDeclaration<O extends OptionSet> = Omit<Command<O>, 'name' | 'takesJobs'> & { readonly takesJobs?: true }

/** What runs a command: gets its flags, its arguments, and the pipelines that jobs of the command line may be; resolves to the exit code. */
type Run<C extends Command> = (
  flags: FlagsOf<C>,
  words: readonly string[],
  pipelinesOf: PipelinesOf,
) => Promise<number | undefined>

type Value<T extends Flag['type']> = T extends 'boolean' ? boolean : string

/** The flags of a command, for what runs it. */
export type FlagsOf<C extends Command> = {
  readonly [flag in keyof C['options']]?: Value<C['options'][flag]['type']> | undefined
}

/** Declares a command; its name is the first word of its usage. Each command also has the common flags. */
export function command<O extends OptionSet>(declaration: CommandDeclaration<O>): Command<O & typeof commonFlags> {
  const { usage, options } = declaration
  return {
    takesJobs: false,
    ...declaration,
    name: usage.split(' ')[0]!,
    options: { ...options, ...commonFlags },
  }
}

/** The argument that a usage names: `<…>` is required, and `..` takes all remaining words. */
export function argumentOf({ usage }: Pick<Command, 'usage'>) {
  const [, name, repeats] = /[<[](\w+)(\.\.)?[>\]]/.exec(usage) ?? []
  const most = repeats !== undefined ? Number.POSITIVE_INFINITY : name === undefined ? 0 : 1
  return { name, most, isRequired: usage.includes('<') }
}

/** A command with what runs it. That loads heavy modules (DuckDB, undici, the codec), so it is loaded itself when the command runs. */
export function runnable<C extends Command>(
  declaration: C,
  load: (flags: FlagsOf<C>) => Promise<Run<C>>,
): Command & { readonly run: Run<Command> } {
  return { ...declaration, run: async (flags: any, ...others) => (await load(flags))(flags, ...others) }
}

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
  const declared = pipelines.flatMap(({ parameters }) => Object.entries<Parameter>(parameters))
  const byName = groupBy(declared, ([name]) => name)
  return {
    ...Object.fromEntries(refused.map((name) => [name, { type: 'string' }])),
    ...Object.fromEntries(
      [...byName].map(([name, uses]) => [
        name,
        { type: uses.every(([, { kind }]) => kind === 'boolean') ? 'boolean' : 'string' },
      ]),
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
  const words = wordsBeforeEnd(argv)
  if (argv.length === 0) return []
  if (words[0] === 'help') return words.slice(1)
  const isHelp = (word: string) => word === '--help' || word === '-h'
  return words.some(isHelp) ? words.filter((word) => !isHelp(word)) : null
}

/** The words before `--`: what follows is no flag. */
export function wordsBeforeEnd(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return end === -1 ? argv : argv.slice(0, end)
}

/** A flag with a value, which `value` names in the help. */
export function text(describe: string, value?: string) {
  return { type: 'string', describe, value } as const
}

/** Such as `--max-lag LAG`: the last word of the name stands for the value if the flag declares no other. */
export function flagText(name: string, { type, alias, value }: Pick<Flag, 'type' | 'alias' | 'value'>): string {
  const short = alias === undefined ? '' : `-${alias}, `
  if (type === 'boolean') return `${short}--${name}`
  return `${short}--${name} ${value ?? name.split('-').at(-1)?.toUpperCase()}`
}

/** A flag without a value. */
export function yes(describe: string) {
  return { type: 'boolean', describe } as const
}

/** What stands for a value in help, by kind; others show the last word of the flag. */
const values: { readonly [kind in Setting['kind']]?: string } = {
  count: 'N',
  duration: 'TIME',
  lag: 'TIME',
  age: 'AGE',
  path: 'FOLDER',
  url: 'URL',
  size: 'SIZE',
}

type FlagNames<G> = {
  [K in keyof G & string]: G[K] extends { readonly flag: infer F extends string } ? F : K
}[keyof G & string]

/** The flags of settings. Values are text here; settings.ts checks them together with environment and chainlake.yaml. */
function settingFlags<G extends Readonly<Record<string, Setting>>>(group: G) {
  const flags = Object.entries<Setting>(group).map(([key, setting]) => {
    const { kind, says, otherwise, value = values[setting.kind] } = setting
    const describe = otherwise === undefined ? says : `${says} [${otherwise}]`
    return [flagName(key, setting), kind === 'truth' && value === undefined ? yes(describe) : text(describe, value)]
  })
  return Object.fromEntries(flags) as { readonly [flag in FlagNames<G>]: Flag }
}

/** The help shows these flags together. */
export const storeGroup = 'S3 and PostgreSQL'

export const jsonFlag = { json: yes('Print the result as JSON on stdout') } as const

const commonFlags = {
  config: text('Configuration file [./chainlake.yaml]', 'FILE'),
  ...settingFlags(settings.log),
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

const { lake, ...stores } = settingFlags(settings.lake)

/** The flags about where data files are. */
export const storeFlags = Object.fromEntries(
  Object.entries<Flag>(stores).map(([name, flag]) => [name, { ...flag, group: storeGroup }]),
) as typeof stores

export const lakeFlag = { lake, ...storeFlags } as const

export const asOfFlag = {
  'as-of': text(
    'Show the lake as of a snapshot id, or of a time such as 2026-11-21T10:35 (UTC without a zone)',
    'TIME',
  ),
} as const

export const nodeFlags = settingFlags(settings.node)
export const runFlags = settingFlags(settings.run)
export const serviceFlags = settingFlags(settings.service)

/** Which jobs are meant. */
export const jobFlags = { all: yes('All jobs of chainlake.yaml') } as const
