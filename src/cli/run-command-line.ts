import { visibleText } from '../lib/text/visible-text.ts'
import { commandGroups, commands } from './commands/index.ts'
import { parseCommandLine } from './flags/parser.ts'
import { helpWords, moduleFlags, typedFlag } from './flags/typed-flag.ts'
import { loadPipelines, pipelinesFor } from './jobs/known-pipelines.ts'
import { environmentValue } from './settings/environment.ts'
import { textWidth } from './terminal/columns.ts'
import { errorFacts, errorText, exitCodeOf } from './terminal/error-text.ts'
import { printJson, printLine } from './terminal/output.ts'
import { coloured } from './terminal/terminal.ts'

/** Runs a command and prints its errors; resolves to the exit code, also when the command failed. */
export async function runCommandLine(argv: readonly string[]): Promise<number> {
  try {
    if (argv[0] === '--complete') return await printCompletions(argv.slice(1))
    const words = helpWords(argv)
    if (words !== null) return await printHelp(words)
    const pipelinesOf = pipelinesFor(argv, new Set(commands.flatMap(({ options }) => Object.keys(options))))
    const chosen = await parseCommandLine(argv, commands, () => loadPipelines(moduleFlags(argv), pipelinesOf))
    if (chosen === null) return 0
    return (await chosen.command.run({ ...chosen.args, pipelinesOf })) ?? 0
  } catch (error) {
    if (argv.includes('--json')) await printJson({ error: errorFacts(error) })
    process.stderr.write(`${coloured(errorText(error))}\n`)
    if (isDebug(argv) && error instanceof Error) process.stderr.write(`${visibleText(stackOf(error))}\n`)
    return exitCodeOf(error)
  }
}

async function printHelp(words: readonly string[]): Promise<number> {
  const { helpText } = await import('./help/answer-help.ts')
  await printLine(await helpText(words, commandGroups, textWidth(process.stdout.columns)))
  return 0
}

/** Called by the script of `chainlake completion`. A mistake in chainlake.yaml must not be printed while the user types. */
async function printCompletions(words: readonly string[]): Promise<number> {
  const { completeWords } = await import('./complete.ts')
  const found = await completeWords(words).catch(() => [])
  for (const word of found) await printLine(word)
  return 0
}

function isDebug(argv: readonly string[]): boolean {
  return (typedFlag(argv, 'log-level') ?? environmentValue('log-level')) === 'debug'
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${stackOf(error.cause)}` : ''
  return `${error.stack ?? error.message}${cause}`
}
