#!/usr/bin/env node
import { commands } from './commands/index.ts'
import { completeWords } from './complete.ts'
import { environmentValue } from './environment.ts'
import { errorFacts, errorText, exitCodeOf } from './error-text.ts'
import { handleClosedPipes, printJson } from './output.ts'
import { parseCommandLine } from './parser.ts'

/** Native threads that did not end by themselves must not keep a finished command alive for longer than this. */
const lingerMs = 2_000

handleClosedPipes()
process.exitCode = await main(process.argv.slice(2))
setTimeout(() => process.exit(), lingerMs).unref()

async function main(argv: readonly string[]): Promise<number> {
  try {
    const chosen = await parseCommandLine(argv, commands, completeWords)
    if (chosen === null) return 0
    return (await chosen.command.run(chosen.args)) ?? 0
  } catch (error) {
    if (argv.includes('--json')) await printJson({ error: errorFacts(error) })
    process.stderr.write(`${errorText(error)}\n`)
    if (isDebug(argv) && error instanceof Error) process.stderr.write(`${stackOf(error)}\n`)
    return exitCodeOf(error)
  }
}

function isDebug(argv: readonly string[]): boolean {
  const at = argv.indexOf('--log-level')
  const typed = at === -1 ? argv.find((word) => word.startsWith('--log-level='))?.slice(12) : argv[at + 1]
  return (typed ?? environmentValue('log-level')) === 'debug'
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${stackOf(error.cause)}` : ''
  return `${error.stack ?? error.message}${cause}`
}
