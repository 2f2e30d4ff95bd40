import type { Command } from '../flags/command.ts'
import { wrapped } from '../terminal/columns.ts'
import { flagSections } from './flag-list.ts'
import { exampleLines, list, section } from './sections.ts'

/** The help of a command, without the parameters of pipelines: each pipeline shows its own. */
export function commandHelp(
  { name, usage, comment, positionals, options, examples, loadOptions }: Command,
  width: number,
): string {
  const notes =
    loadOptions === null
      ? []
      : [
          `Each parameter of a pipeline is a flag, too: \`chainlake ${name} PIPELINE --help\` lists them with examples, and \`chainlake pipelines\` lists the pipelines.`,
        ]
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
