import { open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { syncFolder } from './sync-folder.ts'

/** Replaces a file with a text atomically: readers see the whole old file or the whole new one. */
export async function replaceFile(file: string, text: string): Promise<void> {
  const draft = draftOf(file)
  try {
    const handle = await open(draft, 'w')
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await replaceByDraft(file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** A file of this process next to another one, which it later replaces. */
export function draftOf(file: string): string {
  return join(dirname(file), `.${basename(file)}.${process.pid}`)
}

/** Puts the draft of a file in its place. */
export async function replaceByDraft(file: string): Promise<void> {
  await rename(draftOf(file), file)
  await syncFolder(dirname(file))
}
