import { packageVersion } from '../lib/package.ts'
import { visibleText } from '../lib/text.ts'
import { commandGroups, commands } from './commands/index.ts'
import { helpWords, moduleFlags, typedFlag, withAllOptions } from './flags/command.ts'
import { parseCommandLine } from './flags/parser.ts'
import { loadPipelines, pipelinesFor } from './jobs/known-pipelines.ts'
import { builtInPipelines, environmentValue, readSettings } from './settings.ts'
import { textWidth } from './terminal/tables.ts'
import { coloured, errorFacts, errorText, exitCodeOf, printJson, printLine } from './terminal/terminal.ts'

/** Runs a command and prints its errors; resolves to the exit code, also when the command failed. */
export async function runCommandLine(argv: readonly string[]): Promise<number> {
  try {
    if (argv[0] === '--complete') return await printCompletions(argv.slice(1))
    const words = helpWords(argv)
    if (words !== null) return await printHelp(words)
    const pipelinesOf = pipelinesFor(argv, new Set(commands.flatMap(({ options }) => Object.keys(options))))
    const chosen = await parseCommandLine(argv, commands, () => loadPipelines(moduleFlags(argv), pipelinesOf))
    if (chosen === null) {
      await printLine(packageVersion())
      return 0
    }
    return (await chosen.command.run(chosen.args.flags, chosen.args.positionals, pipelinesOf)) ?? 0
  } catch (error) {
    if (argv.includes('--json')) await printJson({ error: errorFacts(error) })
    process.stderr.write(`${coloured(errorText(error))}\n`)
    const level = typedFlag(argv, 'log-level') ?? environmentValue('log-level')
    if (level === 'debug' && error instanceof Error) process.stderr.write(`${visibleText(stackOf(error))}\n`)
    return exitCodeOf(error)
  }
}

async function printHelp(words: readonly string[]): Promise<number> {
  const { helpText } = await import('./help.ts')
  await printLine(await helpText(words, commandGroups, textWidth(process.stdout.columns)))
  return 0
}

/** Called by the script of `chainlake completion`. A mistake in chainlake.yaml must not be printed while the user types. */
async function printCompletions(words: readonly string[]): Promise<number> {
  const found = await completeWords(words).catch(() => [])
  for (const word of found) await printLine(word)
  return 0
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${stackOf(error.cause)}` : ''
  return `${error.stack ?? error.message}${cause}`
}

/**
 * Completions of the last typed word: commands, flags, or names of jobs, pipelines and tables. The user is still typing, so pipelines that
 * chainlake.yaml declares are not loaded.
 */
async function completeWords(words: readonly string[]): Promise<string[]> {
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
    const { declaredBy, describedNames } = await import('./commands/declared.ts')
    return describedNames(declaredBy(await builtInPipelines()))
  }
  if (command !== 'run' && command !== 'plan' && command !== 'doctor') return []
  const [{ jobs, wrongJobs }, pipelines] = await Promise.all([readSettings({}), builtInPipelines()])
  return [...new Set([...Object.keys({ ...jobs, ...wrongJobs }), ...pipelines.map(({ name }) => name)])]
}
