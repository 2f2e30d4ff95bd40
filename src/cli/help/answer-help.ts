import { ConfigError } from '../../errors.ts'
import type { CommandGroup } from '../commands/index.ts'
import type { Command } from '../flags/command.ts'
import { moduleFlags } from '../flags/typed-flag.ts'
import { suggestion } from '../terminal/suggest.ts'
import { commandHelp } from './command-help.ts'
import { generalHelp } from './general-help.ts'
import { pipelineHelp } from './pipeline-help.ts'

/** The help about these words. Throws `ConfigError` for an unknown command or pipeline. */
export async function helpText(
  words: readonly string[],
  groups: readonly CommandGroup[],
  width: number,
): Promise<string> {
  const commands = groups.flatMap((group) => group.commands)
  const [first] = words
  const command = commands.find(({ name }) => words.includes(name))
  if (command !== undefined) return (await jobHelp(words, command, width)) ?? commandHelp(command, width)
  if (first === undefined || first.startsWith('-')) return generalHelp(groups, width)
  const run = commands.find(({ name }) => name === 'run')
  const ofPipeline = run === undefined ? null : await jobHelp(['run', ...words], run, width).catch(() => null)
  if (ofPipeline !== null) return ofPipeline
  throw new ConfigError(`There is no command or pipeline ${first}.`, {
    code: 'config.unknown-command',
    hint: suggestion(
      first,
      commands.map(({ name }) => name),
    ),
  })
}

/** The help of the job that follows a command that takes jobs; null if no job follows. */
async function jobHelp(words: readonly string[], command: Command, width: number): Promise<string | null> {
  if (command.loadOptions === null) return null
  const following = words.slice(words.indexOf(command.name) + 1)
  if (following.length === 0) return null
  const { findPipeline } = await import('./find-pipeline.ts')
  const found = await findPipeline(following, moduleFlags(words))
  return found === null ? null : pipelineHelp(found.name, found.pipeline, command, width)
}
