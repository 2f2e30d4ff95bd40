import { commands } from './commands/index.ts'
import { withAllOptions } from './flags/command.ts'
import { builtInPipelines, readSettings } from './settings/settings.ts'

/**
 * Completions of the last typed word: commands, flags, or names of jobs, pipelines and tables. The user is still typing, so pipelines that
 * chainlake.yaml declares are not loaded.
 */
export async function completeWords(words: readonly string[]): Promise<string[]> {
  const current = words.at(-1) ?? ''
  const typed = words[0] === 'help' ? words.slice(1) : words
  const command = typed.length > 1 ? commands.find(({ name }) => name === typed[0]) : undefined
  const candidates =
    command === undefined
      ? [...commands.map(({ name }) => name), ...(typed === words ? ['help'] : [])]
      : current.startsWith('-')
        ? Object.keys((await withAllOptions(command, builtInPipelines)).options).map((flag) => `--${flag}`)
        : await namesFor(command.name)
  return candidates.filter((candidate) => candidate.startsWith(current))
}

async function namesFor(command: string): Promise<string[]> {
  if (command === 'describe') {
    const { declaredBy, describedNames } = await import('./commands/describe/declared.ts')
    return describedNames(declaredBy(await builtInPipelines()))
  }
  if (command !== 'run' && command !== 'plan' && command !== 'doctor') return []
  const [{ jobs, wrongJobs }, pipelines] = await Promise.all([readSettings({}), builtInPipelines()])
  return [...new Set([...Object.keys({ ...jobs, ...wrongJobs }), ...pipelines.map(({ name }) => name)])]
}
