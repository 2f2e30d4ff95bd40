import { ChainlakeError } from '../../errors.ts'
import { visibleText } from '../../lib/text/visible-text.ts'

/** What the command line ends with: the error's exit code, 1 for an error that nobody foresaw. */
export function exitCodeOf(error: unknown): number {
  return error instanceof ChainlakeError ? error.exitCode : 1
}

/** An error for people: one line, the facts below it indented, what to do last. What others said in it cannot steer a terminal. */
export function errorText(error: unknown): string {
  const { details, hint } = errorFacts(error)
  const [first, ...more] = linesOf(error instanceof Error ? error.message : String(error))
  const facts = Object.entries(details).map(([name, value]) => `  ${name}: ${oneLine(String(value))}`)
  const lines = [
    `error: ${first ?? 'Unknown error.'}`,
    ...more.map((line) => `  ${line}`),
    ...facts,
    ...(hint === undefined ? [] : [`hint: ${hint}`]),
  ]
  return visibleText(lines.join('\n'))
}

export type ErrorReport = {
  readonly code: string
  readonly message: string
  readonly details: Readonly<Record<string, unknown>>
  readonly hint?: string
}

/** An error for machines, with the same facts. */
export function errorFacts(error: unknown): ErrorReport {
  if (error instanceof ChainlakeError) {
    const details = Object.fromEntries(Object.entries(error.details).filter(([, value]) => value !== undefined))
    return {
      code: error.code,
      message: oneLine(error.message),
      details: { ...details, ...causeFact(error, details) },
      ...(error.hint === undefined ? {} : { hint: error.hint }),
    }
  }
  return {
    code: 'unexpected',
    message: oneLine(error instanceof Error ? error.message : String(error)) || 'Unknown error.',
    details: {},
    hint: 'This was not foreseen: run again with --log-level debug for the place in the program.',
  }
}

function causeFact(error: ChainlakeError, details: object): { cause?: string } {
  if ('cause' in details || !(error.cause instanceof Error)) return {}
  const cause = oneLine(error.cause.message)
  return cause === '' || oneLine(error.message).includes(cause) ? {} : { cause }
}

/** The lines of a message; DuckDB's point at a column, so their indent is kept. */
function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '')
}

function oneLine(text: string): string {
  return text.trim().replace(/\s*\n\s*/g, ' ')
}
