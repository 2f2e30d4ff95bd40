import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import yargs, { type Argv, type Options } from 'yargs'
import type { Pipeline } from '../../define/index.ts'
import { ConfigError } from '../../errors.ts'
import { packageRoot } from '../../lib/files/package-root.ts'
import { type Arguments, type Command, withAllOptions } from './command.ts'
import { usageError } from './usage-error.ts'

export type Chosen = { readonly command: Command; readonly args: Arguments<any> }

/**
 * Parses the command line. `loadPipelines` gives the pipelines that jobs may name: their parameters are flags. Resolves to the command to
 * run, or to null when yargs has printed help or the version. Throws `ConfigError` with the most similar name for an unknown command or
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
  const forHelp = asksForHelp(argv)
  const parser = yargs([...argv])
    .scriptName('chainlake')
    .locale('en')
    .parserConfiguration({
      'camel-case-expansion': false,
      'dot-notation': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
    })
    .usage(
      '$0 <command>\n\nExports Avalanche chain data to partitioned Parquet files, exactly once, with DuckDB views on top.',
    )
    .version(version())
    .help()
    .alias('help', 'h')
    .wrap(Math.min(110, process.stdout.columns || 110))
    .strict()
    .exitProcess(false)
    .epilogue(
      'Exit codes: 0 success, 1 unexpected, 2 invalid input, 3 source, 4 decoding, 5 lake, 6 wrong data, 7 run again later, 8 stream busy, 9 stale, 130/143 signal.',
    )
    .fail((message, error) => {
      throw usageError(message ?? error?.message ?? 'The command line could not be parsed', argv, commands)
    })
  for (const command of commands) {
    parser.command(
      command.usage,
      command.comment,
      (own) => addArguments(own, command, forHelp ? {} : unread),
      (parsed) => {
        chosen = { command, args: split(parsed, command) }
      },
    )
  }
  if (argv.length === 0) {
    parser.showHelp('log')
    return null
  }
  await parser.parseAsync()
  return chosen
}

/** yargs renders the help text also when a command runs, which is slow; hidden options are left out of it. */
const unread: Options = { hidden: true }

function asksForHelp(argv: readonly string[]): boolean {
  return argv.length === 0 || argv.includes('--help') || argv.includes('-h')
}

export function version(): string {
  return JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')).version
}

function addArguments(parser: Argv, command: Command, shown: Options): Argv {
  for (const { name, comment, many } of command.positionals)
    parser.positional(name, { type: 'string', describe: comment, ...(many ? { array: true } : {}) })
  const options = Object.entries<Options>(command.options).map(([name, option]) => [
    name,
    // Named, so that yargs shows them in front of the other groups.
    { group: 'Options:', ...option, ...shown },
  ])
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
