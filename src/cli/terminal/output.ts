import { StorageError } from '../../errors.ts'
import { visibleText } from '../../lib/text/visible-text.ts'
import { errorText } from './error-text.ts'

/**
 * Writes text or JSON with a line end to stdout. Control characters are escaped, in JSON as JSON escapes. Resolves when the text is
 * written, so that an exit cuts nothing off.
 */
export function printLine(text: string): Promise<void> {
  return printText(`${visibleText(text)}\n`)
}

/** Writes text to stdout unchanged. */
export function printText(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()))
  })
}

/** Prints a result as JSON. Integers that a double cannot hold exactly become strings. */
export function printJson(value: unknown): Promise<void> {
  return printLine(jsonText(value))
}

export function jsonText(value: unknown): string {
  return JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? exactNumber(item) : item), 2)
}

/** A bigint as a number where that is exact, otherwise as a string of digits. */
export function exactNumber(value: bigint): number | string {
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER)
    ? Number(value)
    : String(value)
}

/**
 * Ends the command quietly when the reader of stdout goes away (`chainlake sql … | head`), and with an error when stdout cannot be written,
 * such as a file on a full disk. A closed stderr is ignored, since lost log lines must not end an export.
 */
export function handleClosedPipes(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0)
    const failure = new StorageError('The output cannot be written to stdout.', {
      code: 'storage.output',
      details: { reason: error.message },
      hint: 'Check the free space where stdout goes. What the command committed before is safe.',
    })
    process.stderr.write(`${errorText(failure)}\n`)
    process.exit(failure.exitCode)
  })
  process.stderr.on('error', () => {})
}
