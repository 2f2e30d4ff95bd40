import { commands } from './commands/index.ts'
import { withAllOptions } from './flags/command.ts'

/** Completions of the last typed word: commands, flags, or names of jobs, pipelines and tables. */
export async function completeWords(words: readonly string[]): Promise<string[]> {
  const current = words.at(-1) ?? ''
  const command = words.length > 1 ? commands.find(({ name }) => name === words[0]) : undefined
  const candidates =
    command === undefined
      ? commands.map(({ name }) => name)
      : current.startsWith('-')
        ? Object.keys((await withAllOptions(command)).options).map((flag) => `--${flag}`)
        : await namesFor(command.name)
  return candidates.filter((candidate) => candidate.startsWith(current))
}

async function namesFor(command: string): Promise<string[]> {
  if (command === 'describe') return (await import('./commands/describe/description.ts')).describedNames()
  if (command !== 'run' && command !== 'plan') return []
  const [{ pipelines }, { readSettings }] = await Promise.all([
    import('../../pipelines/index.ts'),
    import('./settings/settings.ts'),
  ])
  const { jobs } = await readSettings({})
  return [...new Set([...Object.keys(jobs), ...pipelines.map(({ name }) => name)])]
}
