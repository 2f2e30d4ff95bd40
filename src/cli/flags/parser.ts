import yargs, { type Options } from 'yargs'
import { listNames, pipelineFiles } from '../../../pipelines/shared/by-name.ts'
import type { Pipeline } from '../../define/index.ts'
import { ConfigError } from '../../errors.ts'
import { nearestName, suggestion } from '../../lib/suggestion.ts'
import { argumentOf, type Command, type OptionSet, withAllOptions, wordsBeforeEnd } from './command.ts'

type Chosen<C> = {
  readonly command: C
  readonly args: {
    readonly flags: Readonly<Record<string, string | boolean | undefined>>
    readonly positionals: readonly string[]
  }
}

/**
 * Parses the command line; help is answered before. `loadPipelines` gives the pipelines that jobs may name: their parameters are flags.
 * Resolves to the command to run, or to null when the version is meant. Throws `ConfigError` with the most similar name for an unknown
 * command or flag.
 */
export async function parseCommandLine<C extends Command>(
  argv: readonly string[],
  commands: readonly C[],
  loadPipelines: () => Promise<readonly Pipeline[]>,
): Promise<Chosen<C> | null> {
  if (wordsBeforeEnd(argv).includes('--version')) return null
  const named = argv.flatMap((word) => commands.find(({ name }) => name === word) ?? [])[0]
  if (named === undefined) throw unknownCommand(argv[0] ?? '', commands)
  let read = readWords(argv, await withAllOptions(named, loadPipelines))
  // The name of a command may be the value of a flag before the command.
  const meant = commands.find(({ name }) => name === read.first && name !== named.name)
  if (meant !== undefined) read = readWords(argv, await withAllOptions(meant, loadPipelines))
  const { command, first, positionals, parsed } = read
  const options: OptionSet = command.options
  const aliases = Object.values(options).map(({ alias }) => alias)
  const flags = Object.entries(parsed).filter(([name]) => !aliases.includes(name))
  for (const [name, value] of flags) {
    if (!Object.hasOwn(options, name)) throw unknownFlag(name, argv, command, commands)
    if (Array.isArray(value)) throw usageError(`--${name} is given ${value.length} times.`, `Give --${name} once.`)
  }
  if (first !== command.name) throw unknownCommand(first, commands)
  checkArguments(positionals, command)
  return { command, args: { flags: Object.fromEntries(flags) as Chosen<C>['args']['flags'], positionals } }
}

function readWords<C extends Command>(argv: readonly string[], command: C) {
  const {
    _: words,
    $0: _,
    ...parsed
  } = yargs([...argv])
    .locale('en')
    .parserConfiguration({
      'boolean-negation': false,
      'camel-case-expansion': false,
      'dot-notation': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
    })
    .options(
      Object.fromEntries(
        Object.entries<OptionSet[string]>(command.options).map(([name, flag]) => [name, optionOf(flag)]),
      ),
    )
    .help(false)
    .version(false)
    .exitProcess(false)
    .fail((message, error) => {
      throw missingValue(message ?? error.message, command)
    })
    .parseSync()
  const [first = '', ...positionals] = words.map(String)
  return { command, first, positionals, parsed }
}

function optionOf({ type, alias }: OptionSet[string]): Options {
  return { type, requiresArg: type === 'string', ...(alias === undefined ? {} : { alias }) }
}

/** `test/cli/main.test.ts` pins the message of yargs; other messages as they are. */
function missingValue(message: string, command: Command): ConfigError {
  const flag = /^Not enough arguments following: (\S+)$/.exec(message)?.[1]
  const missing = flag === undefined ? message : `${flag.length === 1 ? '-' : '--'}${flag} needs a value.`
  return usageError(missing, seeHelp(command))
}

/** Throws `ConfigError` if an argument is missing, or if there are more than the command takes. */
function checkArguments(given: readonly string[], command: Command): void {
  const { name, most, isRequired } = argumentOf(command)
  if (isRequired && given.length === 0)
    throw usageError(`${command.name} needs an argument: ${name} (${command.argument}).`, seeHelp(command))
  if (given.length > most)
    throw usageError(
      `${command.name} takes no argument ${JSON.stringify(given[most])}.`,
      command.name === 'sql' ? 'Put the query into quotes.' : seeHelp(command),
    )
}

function usageError(message: string, hint: string): ConfigError {
  return new ConfigError(message, { code: 'config.usage', hint })
}

function seeHelp(command: Command): string {
  return `See \`chainlake ${command.name} --help\`.`
}

/** `what` may be the command, such as `command or pipeline`. */
export function unknownCommand(typed: string, commands: readonly Command[], what = 'command'): ConfigError {
  const names = commands.map((command) => command.name)
  const version = /^(-v|--?version|version)$/i.test(typed) ? '`chainlake --version` prints the version.' : null
  if (typed.startsWith('-'))
    return usageError(`Name a command before ${typed}.`, version ?? `Known: ${names.join(', ')}.`)
  const isPipeline = Object.hasOwn(pipelineFiles, typed) || listNames.includes(typed)
  return new ConfigError(`There is no ${what} ${typed}.`, {
    code: 'config.unknown-command',
    hint: isPipeline ? `It is a pipeline: \`chainlake run ${typed}\`.` : (version ?? suggestion(typed, names)),
  })
}

function unknownFlag(
  typed: string,
  argv: readonly string[],
  command: Command,
  commands: readonly Command[],
): ConfigError {
  const flag = typed.length === 1 ? `-${typed}` : `--${typed}`
  if (/^(service-)?(api-?)?key$/i.test(typed))
    return new ConfigError(
      `${command.name} has no flag ${flag}: other users of the machine could read the API key there.`,
      {
        code: 'config.unknown-flag',
        hint: 'Set the environment variable CHAINLAKE_API_KEY, or service: { key-file: PATH } in chainlake.yaml.',
      },
    )
  return new ConfigError(`${command.name} has no flag ${flag}.`, {
    code: 'config.unknown-flag',
    hint:
      (typed.length === 1 ? withOneDash(argv, command) : null) ??
      flagOfUrl(typed, command) ??
      ownBeginning(typed, command) ??
      ofAnotherCommand(typed, commands) ??
      nearestFlag(typed, command),
  })
}

/** A flag that was written with one dash: its letters are read as flags. */
function withOneDash(argv: readonly string[], { options }: Command): string | null {
  const meant = argv
    .flatMap((word) => /^-([a-z][a-z-]+)/.exec(word)?.[1] ?? [])
    .find((name) => Object.hasOwn(options, name))
  return meant === undefined ? null : `Write --${meant}.`
}

/** A hint for a flag that was typed without `-url`, such as --node for --node-url; null for others. */
function flagOfUrl(typed: string, { options }: Command): string | null {
  return Object.hasOwn(options, `${typed}-url`) ? `Did you mean --${typed}-url?` : null
}

/** A flag that was written out, such as --output for --out: another command may have a flag of the long name. */
function ownBeginning(typed: string, { options }: Command): string | null {
  const meant = Object.keys(options).find(
    (name) => name.length > 2 && typed.startsWith(name) && typed[name.length] !== '-',
  )
  return meant === undefined ? null : `Did you mean --${meant}?`
}

/** The command that has the flag, if it is a flag of that command only: a similar flag would then mislead. */
function ofAnotherCommand(typed: string, commands: readonly Command[]): string | null {
  const [only, ...others] = commands.filter(({ options }) => Object.hasOwn(options, typed))
  if (only === undefined || others.length > 0) return null
  return `It is a flag of \`chainlake ${only.name}\`. ${only.options[typed].describe}.`
}

function nearestFlag(typed: string, command: Command): string {
  const nearest = nearestName(typed, [...Object.keys(command.options), 'help', 'version'])
  return nearest === undefined ? seeHelp(command) : `Did you mean --${nearest}?`
}
