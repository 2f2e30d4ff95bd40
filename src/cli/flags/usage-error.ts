import type { Options } from 'yargs'
import { ConfigError } from '../../errors.ts'
import { nearestName, suggestion } from '../terminal/suggest.ts'
import type { Command } from './command.ts'

/** Turns the messages of yargs into errors with a suggestion; `test/cli/main.test.ts` pins the texts of yargs. */
export function usageError(message: string, argv: readonly string[], commands: readonly Command[]): ConfigError {
  const command = commands.find((known) => argv.includes(known.name))
  const unknown = /^Unknown (?:arguments?|commands?): (.*)$/.exec(message)?.[1]?.split(', ')
  if (unknown === undefined)
    return new ConfigError(message.endsWith('.') ? message : `${message}.`, {
      code: 'config.usage',
      hint: seeHelp(command),
    })
  if (command === undefined) return unknownCommand(argv[0] ?? '', commands)
  const typed = unknown[0] ?? ''
  if (argv.some((word) => word.startsWith('-') && word.replace(/^-+/, '').split('=')[0] === typed))
    return unknownFlag(typed, command, commands)
  return new ConfigError(`${command.name} takes no argument ${JSON.stringify(typed)}.`, {
    code: 'config.usage',
    hint: seeHelp(command),
  })
}

function seeHelp(command: Command | undefined): string {
  return `See \`chainlake ${command === undefined ? '' : `${command.name} `}--help\`.`
}

function unknownCommand(typed: string, commands: readonly Command[]): ConfigError {
  const names = commands.map((command) => command.name)
  if (typed.startsWith('-'))
    return new ConfigError(`Name a command before ${typed}.`, {
      code: 'config.usage',
      hint: `Known: ${names.join(', ')}.`,
    })
  return new ConfigError(`There is no command ${typed}.`, {
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
