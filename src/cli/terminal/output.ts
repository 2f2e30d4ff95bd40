import { visibleText } from '../../lib/text/visible-text.ts'

/**
 * Writes text for people, or JSON, and a line end to stdout. What could steer a terminal is escaped, in JSON as JSON does. Resolves
 * when it is handed over, so that nothing is cut off at exit.
 */
export function printLine(text: string): Promise<void> {
  return printText(`${visibleText(text)}\n`)
}

/** Writes text as it is. */
export function printText(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()))
  })
}

/** Prints a machine-readable result. Whole numbers that a double cannot hold become strings. */
export function printJson(value: unknown): Promise<void> {
  return printLine(jsonText(value))
}

export function jsonText(value: unknown): string {
  return JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? exactNumber(item) : item), 2)
}

/** A bigint as a number where that is exact, else as its digits. */
export function exactNumber(value: bigint): number | string {
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER)
    ? Number(value)
    : String(value)
}

/**
 * A reader that goes away (`chainlake sql … | head`) ends the command quietly; a closed stderr is ignored, since losing
 * log lines must not end an export.
 */
export function handleClosedPipes(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0)
    throw error
  })
  process.stderr.on('error', () => {})
}
