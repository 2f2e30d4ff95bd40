import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import yargs, { type Argv, type Options } from 'yargs'
import type { Pipeline } from '../../define/index.ts'
import { ConfigError } from '../../errors.ts'
import { packageRoot } from '../../lib/files/package-root.ts'
import { type Arguments, type Command, withAllOptions } from './command.ts'
import { usageError } from './usage-error.ts'

type Chosen = { readonly command: Command; readonly args: Arguments<any> }

/**
 * Parses the command line; help is answered before. `loadPipelines` gives the pipelines that jobs may name: their parameters are flags.
 * Resolves to the command to run, or to null when yargs has printed the version. Throws `ConfigError` with the most similar name for an unknown command or
 * flag.
 */
export async function parseCommandLine(
  argv: readonly string[],
  known: readonly Command[],
  loadPipelines: () => Promise<readonly Pipeline[]>,
): Promise<Chosen | null> {
  const named = known.find(({ name }) => name === argv.find((word) => known.some((command) => command.name === word)))
  const commands = await Promise.all(
    known.map((command) => (command === named ? withAllOptions(command, loadPipelines) : command)),
  )
  let chosen: Chosen | null = null
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
    .version(version())
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

export function version(): string {
  return JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')).version
}

function addArguments(parser: Argv, command: Command): Argv {
  for (const { name, comment, many } of command.positionals)
    parser.positional(name, { type: 'string', describe: comment, ...(many ? { array: true } : {}) })
  // yargs renders its help text also when a command runs, which is slow; hidden options are left out of it.
  const options = Object.entries<Options>(command.options).map(([name, option]) => [name, { ...option, hidden: true }])
  return parser.options(Object.fromEntries(options))
}

function split(parsed: Record<string, unknown>, command: Command): Arguments<any> {
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
