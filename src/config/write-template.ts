import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError, StorageError } from '../errors.ts'
import { packageRoot } from '../lib/files/package-root.ts'
import { configTemplate } from './template.ts'

/** Writes the commented configuration file. Refuses to overwrite a file. */
export async function writeTemplate(path: string): Promise<void> {
  const text = configTemplate.replace('SCHEMA_PATH', join(packageRoot(), 'chainlake.schema.json'))
  try {
    await writeFile(path, text, { flag: 'wx' })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST')
      throw new ConfigError(`${path} already exists; it is unchanged.`, {
        code: 'config.exists',
        hint: 'Remove it first, or give another path with --config FILE.',
      })
    throw new StorageError(`${path} cannot be written.`, {
      details: { reason: (cause as Error).message },
      hint: 'Give a path in a folder that exists and can be written to.',
      cause,
    })
  }
}
