import { readFile } from 'node:fs/promises'
import { ConfigError } from '../errors.ts'
import { withoutMark } from '../lib/text/utf8.ts'

/** The values of a text with one value per line. Surrounding blanks, empty lines and comments (`# …`) are ignored. */
export function parseListFile(text: string): string[] {
  return withoutMark(text)
    .split(/\r\n|\n|\r/)
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '')
}

/** Reads a list of values, one per line; `name` is the flag or key for the error message. Throws `ConfigError`. */
export async function readListFile(path: string, name: string): Promise<string[]> {
  return parseListFile(await readTextFile(path, name))
}

/** Reads a file that a parameter names; `name` is the flag or key for the error message. Throws `ConfigError`. */
export async function readTextFile(path: string, name: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    throw new ConfigError(`${name}: the file ${path} cannot be read.`, {
      code: 'config.unreadable',
      details: { reason: code === 'ENOENT' ? 'no such file' : message },
      hint: 'A path in chainlake.yaml is relative to that file; a path in a flag is relative to the working directory.',
      cause,
    })
  }
}
