import { commandGroups } from '../../../src/cli/commands/index.ts'
import type { Command, Example, Flag, OptionSet } from '../../../src/cli/flags/command.ts'
import { lakeFlag } from '../../../src/cli/flags/options.ts'
import { flagText } from '../../../src/cli/help/flag-list.ts'
import { codeBlock, type Document, documentText, markdownTable, paragraph } from '../text/markdown.ts'

const storeTitle = 'Flags for S3 and PostgreSQL'
const storeFlags: OptionSet = Object.fromEntries(Object.entries(lakeFlag).filter(([, flag]) => 'group' in flag))

/** The reference of all commands with their flags, from the declarations that answer `--help`. */
export function cliPage(): Document {
  const text = documentText('Commands and flags', [
    paragraph(
      'The command is `chainlake`, in a checkout `npx chainlake`. Results go to stdout, as JSON with `--json` ([shapes](json.md)). Logs go to stderr, as JSON lines unless stderr is a terminal. Flags override [environment variables](environment.md), which override [`chainlake.yaml`](configuration.md). The [exit code](exit-codes.md) says how a command ended.',
    ),
    paragraph(
      'Each command has `--help`. Each pipeline has it, too: `chainlake run evm-logs --help` shows its [parameters](pipelines.md), which are flags of `run`, `plan` and `doctor`.',
    ),
    ...commandGroups.flatMap(({ title, commands }) => [
      `## To ${title}`,
      markdownTable(
        ['command', 'does'],
        commands.map(({ name, usage, comment }) => [`[\`${usage}\`](#${name})`, `${comment}.`]),
      ),
      ...commands.flatMap(commandSection),
    ]),
    `## ${storeTitle}`,
    paragraph('Every command that opens a lake has these flags.'),
    flagTable(storeFlags),
  ])
  return { path: 'docs/reference/cli.md', text }
}

function commandSection({ name, usage, comment, positionals, options, examples, loadOptions }: Command): string[] {
  const own = Object.fromEntries(Object.entries<Flag>(options).filter(([flag]) => !Object.hasOwn(storeFlags, flag)))
  const usesStore = Object.keys(options).some((flag) => Object.hasOwn(storeFlags, flag))
  return [
    `### ${name}`,
    paragraph(`${comment}.`),
    codeBlock('text', `chainlake ${usage} [flags]`),
    ...(positionals.length === 0
      ? []
      : [
          markdownTable(
            ['argument', 'meaning'],
            positionals.map((each) => [`\`${each.name}\``, each.comment]),
          ),
        ]),
    ...(Object.keys(own).length === 0 ? [] : [flagTable(own)]),
    ...(usesStore ? [`Also: [flags for S3 and PostgreSQL](#flags-for-s3-and-postgresql).`] : []),
    ...(loadOptions === null ? [] : ['Also: each parameter of the [pipelines](pipelines.md) that it runs.']),
    ...(examples.length === 0 ? [] : [exampleTable(examples)]),
  ]
}

function flagTable(options: OptionSet): string {
  return markdownTable(
    ['flag', 'meaning'],
    Object.entries(options).map(([flag, declared]) => [`\`${flagText(flag, declared)}\``, declared.describe ?? '']),
  )
}

export function exampleTable(examples: readonly Example[]): string {
  return markdownTable(
    ['example', 'does'],
    examples.map(({ line, says }) => [`\`${line}\``, says]),
  )
}
