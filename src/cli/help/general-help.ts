import type { CommandGroup } from '../commands/index.ts'
import { wrapped } from '../terminal/columns.ts'
import { exitCodes } from './exit-codes.ts'
import { exampleLines, list } from './sections.ts'

/** The help of chainlake: each group of commands with the first example of its first command. */
export function generalHelp(groups: readonly CommandGroup[], width: number): string {
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
