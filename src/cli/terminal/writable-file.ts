import { stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { ConfigError } from '../../errors.ts'

/** The absolute path of a file that a flag names, whose folder is there. Throws ConfigError before anything is done otherwise. */
export async function writableFile(flag: string, path: string): Promise<string> {
  const file = resolve(path)
  const folder = await stat(dirname(file)).catch(() => null)
  const there = await stat(file).catch(() => null)
  if (path !== '' && folder?.isDirectory() === true && there?.isDirectory() !== true) return file
  throw new ConfigError(`${flag} names no file that can be written.`, {
    code: 'config.file',
    details: { file },
    hint: 'Give the path of a file in a folder that exists.',
  })
}
