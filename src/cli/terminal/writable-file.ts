import { stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { ConfigError } from '../../errors.ts'

/** The absolute path of the file that a flag names. Throws ConfigError when its folder does not exist or the path is a folder. */
export async function writableFile(flag: string, path: string): Promise<string> {
  const file = resolve(path)
  const folder = await stat(dirname(file)).catch(() => null)
  const existing = await stat(file).catch(() => null)
  if (path !== '' && folder?.isDirectory() === true && existing?.isDirectory() !== true) return file
  throw new ConfigError(`${flag} does not name a writable file.`, {
    code: 'config.file',
    details: { file },
    hint: 'Give the path of a file in a folder that exists.',
  })
}
