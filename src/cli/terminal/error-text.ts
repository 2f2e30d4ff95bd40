import { fileURLToPath } from 'node:url'
import { ChainlakeError, ConfigError } from '../../errors.ts'
import { packageRoot } from '../../lib/files/package-root.ts'
import { visibleText } from '../../lib/text/visible-text.ts'

/** The exit code of the command: that of the error, or 1 for an unexpected error. */
export function exitCodeOf(error: unknown): number {
  return error instanceof ChainlakeError ? error.exitCode : (missingPackage(error)?.exitCode ?? 1)
}

/**
 * An error for people: the message, the indented facts, and the hint. Control characters are escaped, so that text from a source cannot
 * control the terminal.
 */
export function errorText(error: unknown): string {
  const { details, hint } = errorFacts(error)
  const shown = missingPackage(error) ?? error
  const [first, ...more] = linesOf(shown instanceof Error ? shown.message : String(shown))
  const facts = Object.entries(details).map(([name, value]) => `  ${name}: ${oneLine(String(value))}`)
  const lines = [
    `error: ${first ?? 'Unknown error.'}`,
    ...more.map((line) => `  ${line}`),
    ...facts,
    ...(hint === undefined ? [] : [`hint: ${hint}`]),
  ]
  return visibleText(lines.join('\n'))
}

type ErrorReport = {
  readonly code: string
  readonly message: string
  readonly details: Readonly<Record<string, unknown>>
  readonly hint?: string
}

/** The same error for machines. */
export function errorFacts(thrown: unknown): ErrorReport {
  const error = missingPackage(thrown) ?? thrown
  if (error instanceof ChainlakeError) {
    const details = Object.fromEntries(Object.entries(error.details).filter(([, value]) => value !== undefined))
    return {
      code: error.code,
      message: oneLine(error.message),
      details: { ...details, ...causeFact(error, details) },
      ...(error.hint === undefined ? {} : { hint: error.hint }),
    }
  }
  const at = error instanceof Error ? placeInModule(error) : undefined
  if (at !== undefined)
    return {
      code: 'pipelines.failed',
      message: oneLine((error as Error).message),
      details: { at },
      hint: 'Correct the module of the pipeline. With --log-level debug the whole stack is printed.',
    }
  return {
    code: 'unexpected',
    message: oneLine(error instanceof Error ? error.message : String(error)) || 'Unknown error.',
    details: {},
    hint: 'This error is unexpected: run again with --log-level debug to see the stack trace, and report it.',
  }
}

/** The error for a package of chainlake that is not installed, such as one for this platform after `npm install --omit=optional`. */
function missingPackage(error: unknown): ConfigError | null {
  const { code = '', message = '' } = error instanceof Error ? (error as NodeJS.ErrnoException) : {}
  if (!/^(ERR_)?MODULE_NOT_FOUND$/.test(code)) return null
  const name = /^Cannot find (?:module|package) '((?:@[^/']+\/)?[^/'.\\][^/']*)/.exec(message)?.[1]
  if (name === undefined || placeInModule(error as Error) !== undefined) return null
  return new ConfigError(`The package ${name} is not installed.`, {
    code: 'config.package',
    hint: 'Install chainlake again, with its optional packages: npm install --include=optional.',
  })
}

/** Where a module of the user failed, such as `/srv/gas.mjs:12:3`; undefined if only chainlake and packages are in the stack. */
function placeInModule({ stack = '' }: Error): string | undefined {
  for (const [, file = '', place] of stack.matchAll(/[\s(]((?:file:\/\/)?\/\S+?):(\d+:\d+)\)?$/gm)) {
    const path = file.startsWith('file:') ? fileURLToPath(file) : file
    if (!path.startsWith(packageRoot()) && !/[\\/]node_modules[\\/]/.test(path)) return `${path}:${place}`
  }
  return undefined
}

function causeFact(error: ChainlakeError, details: object): { cause?: string } {
  if ('cause' in details || !(error.cause instanceof Error)) return {}
  const cause = oneLine(error.cause.message)
  return cause === '' || oneLine(error.message).includes(cause) ? {} : { cause }
}

/** The lines of a message with their indentation, since DuckDB marks a column in the line above. */
function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '')
}

function oneLine(text: string): string {
  return text.trim().replace(/\s*\n\s*/g, ' ')
}
