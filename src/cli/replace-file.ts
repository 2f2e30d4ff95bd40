import { open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { ConfigError } from '../errors.ts'
import { syncFolder } from '../lib/sync-folder.ts'

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

/** Puts a text in the place of a file: readers see the whole old one or the whole new one. */
export async function replaceFile(file: string, text: string): Promise<void> {
  const beside = join(dirname(file), `.${basename(file)}.${process.pid}`)
  try {
    const handle = await open(beside, 'w')
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(beside, file)
    await syncFolder(dirname(file))
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  }
}
