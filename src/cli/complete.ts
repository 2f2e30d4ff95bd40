import { existsSync } from 'node:fs'

/** Words that may follow: names of pipelines and jobs after `run` and `plan`, tables after `describe`, else commands. */
export async function completeWords(words: readonly string[], current: string): Promise<string[]> {
  const { commands } = await import('./commands/index.ts')
  const typed = words.filter((word) => !word.startsWith('--get-yargs') && word !== 'chainlake')
  const command = commands.find(({ name }) => name === typed[0])
  const candidates =
    command === undefined || typed[0] === current
      ? [...commands.map(({ name }) => name), 'completion']
      : current.startsWith('-')
        ? Object.keys(command.options).map((flag) => `--${flag}`)
        : await namesFor(command.name)
  return candidates.filter((candidate) => candidate.startsWith(current))
}

async function namesFor(command: string): Promise<string[]> {
  if (command === 'describe') return (await import('../../schemas/index.ts')).tables.map(({ name }) => name)
  if (command !== 'run' && command !== 'plan') return []
  const { pipelines } = await import('../../pipelines/index.ts')
  const { readSettings } = await import('./settings.ts')
  const jobs = existsSync('chainlake.yaml') ? (await readSettings({})).jobs : {}
  return [...Object.keys(jobs), ...pipelines.map(({ name }) => name)]
}
