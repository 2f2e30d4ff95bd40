import type { Argv, Options } from 'yargs'
import yargs from 'yargs'
import type { Pipeline } from '../../define/index.ts'
import { ConfigError } from '../../errors.ts'
import { packageVersion } from '../../lib/package.ts'
import { nearestName, suggestion } from '../../lib/suggestion.ts'
import { type Command, withAllOptions } from './command.ts'

type Chosen<C> = {
  readonly command: C
  readonly args: { readonly flags: Readonly<Record<string, unknown>>; readonly positionals: readonly string[] }
}

/**
 * Parses the command line; help is answered before. `loadPipelines` gives the pipelines that jobs may name: their parameters are flags.
 * Resolves to the command to run, or to null when yargs has printed the version. Throws `ConfigError` with the most similar name for an unknown command or
 * flag.
 */
export async function parseCommandLine<C extends Command>(
  argv: readonly string[],
  known: readonly C[],
  loadPipelines: () => Promise<readonly Pipeline[]>,
): Promise<Chosen<C> | null> {
  const named = known.find(({ name }) => name === argv.find((word) => known.some((command) => command.name === word)))
  const commands = await Promise.all(
    known.map((command) => (command === named ? withAllOptions(command, loadPipelines) : command)),
  )
  let chosen: Chosen<C> | null = null
  const parser = yargs([...argv])
    .scriptName('chainlake')
    .locale('en')
    .parserConfiguration({
      'boolean-negation': false,
      'camel-case-expansion': false,
      'dot-notation': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
    })
    .version(packageVersion())
    .help(false)
    .strict()
    .exitProcess(false)
    .fail((message, error) => {
      throw usageError(message ?? error?.message ?? 'The command line could not be parsed', argv, commands)
    })
  // yargs spends as long on describing commands as on parsing: the others are only needed where the first word is none of them.
  for (const command of argv[0] === named?.name ? commands.filter(({ name }) => name === named?.name) : commands) {
    parser.command(
      command.usage,
      command.comment,
      (own) => addArguments(own, command),
      (parsed) => {
        chosen = { command, args: split(parsed, command) }
      },
    )
  }
  await parser.parseAsync()
  return chosen
}

function addArguments(parser: Argv, command: Command): Argv {
  for (const { name, comment, many } of command.positionals)
    parser.positional(name, { type: 'string', describe: comment, ...(many ? { array: true } : {}) })
  // yargs renders its help text also when a command runs, which is slow; hidden options are left out of it.
  const options = Object.entries<Options>(command.options).map(([name, option]) => [name, { ...option, hidden: true }])
  return parser.options(Object.fromEntries(options))
}

function split(parsed: Record<string, unknown>, command: Command): Chosen<Command>['args'] {
  const positionals = command.positionals.flatMap(({ name }) => (parsed[name] ?? []) as string | string[])
  const flags = Object.fromEntries(Object.keys(command.options).map((flag) => [flag, parsed[flag]]))
  for (const [flag, value] of Object.entries(flags))
    if (Array.isArray(value))
      throw new ConfigError(`--${flag} is given ${value.length} times.`, {
        code: 'config.usage',
        hint: `Give --${flag} once.`,
      })
  return { flags, positionals }
}

/** Turns the messages of yargs into errors with a suggestion; `test/cli/main.test.ts` pins the texts of yargs. */
function usageError(message: string, argv: readonly string[], commands: readonly Command[]): ConfigError {
  const command = commands.find((known) => argv.includes(known.name))
  const unknown = /^Unknown (?:arguments?|commands?): (.*)$/.exec(message)?.[1]?.split(', ')
  if (unknown === undefined)
    return new ConfigError(missingText(message, command), { code: 'config.usage', hint: seeHelp(command) })
  if (command === undefined) return unknownCommand(argv[0] ?? '', commands)
  const typed = unknown[0] ?? ''
  if (argv.some((word) => word.startsWith('-') && word.replace(/^-+/, '').split('=')[0] === typed))
    return unknownFlag(typed, command, commands)
  return new ConfigError(`${command.name} takes no argument ${JSON.stringify(typed)}.`, {
    code: 'config.usage',
    hint: seeHelp(command),
  })
}

/** What is missing; other messages of yargs as they are. */
function missingText(message: string, command: Command | undefined): string {
  const flag = /^Not enough arguments following: (\S+)$/.exec(message)?.[1]
  if (flag !== undefined) return `${flag.length === 1 ? '-' : '--'}${flag} needs a value.`
  const [first] = command?.positionals ?? []
  if (command !== undefined && first !== undefined && message.startsWith('Not enough non-option arguments'))
    return `${command.name} needs an argument: ${first.name} (${first.comment}).`
  return message.endsWith('.') ? message : `${message}.`
}

function seeHelp(command: Command | undefined): string {
  return `See \`chainlake ${command === undefined ? '' : `${command.name} `}--help\`.`
}

/** `what` may be the command, such as `command or pipeline`. */
export function unknownCommand(typed: string, commands: readonly Command[], what = 'command'): ConfigError {
  const names = commands.map((command) => command.name)
  if (typed.startsWith('-'))
    return new ConfigError(`Name a command before ${typed}.`, {
      code: 'config.usage',
      hint: `Known: ${names.join(', ')}.`,
    })
  return new ConfigError(`There is no ${what} ${typed}.`, {
    code: 'config.unknown-command',
    hint: suggestion(typed, names),
  })
}

function unknownFlag(typed: string, command: Command, commands: readonly Command[]): ConfigError {
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
    hint: ofAnotherCommand(typed, commands) ?? nearestFlag(typed, command),
  })
}

/** The command that has the flag, if it is a flag of that command only: a similar flag would then mislead. */
function ofAnotherCommand(typed: string, commands: readonly Command[]): string | null {
  const [only, ...others] = commands.filter(({ options }) => Object.hasOwn(options, typed))
  if (only === undefined || others.length > 0) return null
  const { describe } = only.options[typed] as Options
  return `It is a flag of \`chainlake ${only.name}\`. ${describe}.`
}

function nearestFlag(typed: string, command: Command): string {
  const nearest = nearestName(typed, [...Object.keys(command.options), 'help', 'version'])
  return nearest === undefined ? seeHelp(command) : `Did you mean --${nearest}?`
}
