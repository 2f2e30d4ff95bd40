import type { Example } from '../flags/command.ts'
import { described, wrapped } from '../terminal/columns.ts'

/** A title in capitals with the lines below it; nothing without lines. */
export function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title.toUpperCase(), ...lines]
}

export function list(
  title: string,
  entries: readonly (readonly [name: string, text: string])[],
  width: number,
): string[] {
  return section(title, described(entries, width))
}

/** Examples are not broken, so that they can be copied. */
export function exampleLines(examples: readonly Example[], width: number): string[] {
  return examples.flatMap(({ line, says }) => [...wrapped(`# ${says}`, width - 2), line].map((text) => `  ${text}`))
}
