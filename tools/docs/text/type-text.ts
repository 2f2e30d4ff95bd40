import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../../src/lib/files/package-root.ts'

/**
 * The declaration of a type in a source file, with its comments, as readers of JSON need it: without `export` and `readonly`, which say
 * nothing about values.
 */
export function typeText(path: string, name: string): string {
  const text = readFileSync(join(packageRoot(), path), 'utf8')
  const at = text.search(new RegExp(`^(?:export )?type ${name}\\b`, 'm'))
  if (at < 0) throw new RangeError(`${path} declares no type ${name}.`)
  const declaration = text.slice(at)
  // The formatter ends a declaration with the first line that is not indented and begins no member of a union.
  const lines = declaration.split('\n')
  const end = lines.findIndex((line, number) => number > 0 && (line === '' || /^[})]/.test(line)))
  const last = lines[end] === '' ? end : end + 1
  return lines
    .slice(0, last)
    .join('\n')
    .replace(/^export /, '')
    .replaceAll(/\breadonly /g, '')
}
