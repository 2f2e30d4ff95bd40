import { type FileHandle, open, rm } from 'node:fs/promises'
import { StorageError } from '../../errors.ts'
import { draftOf, replaceByDraft } from '../../lib/files/replace-file.ts'
import { printText } from '../terminal/output.ts'
import { type Terminal, terminalOf } from '../terminal/terminal.ts'

/** Where answers of queries go. */
export type AnswerOutput = {
  readonly write: (text: string) => Promise<void>
  /** Null for files and other programs. */
  readonly terminal: Terminal | null
}

export function standardOutput(): AnswerOutput {
  return { write: printText, terminal: terminalOf(process.stdout) }
}

export type FileOutput = AnswerOutput & {
  /** Puts the file in its place. Readers see the whole old file or the whole new one. */
  readonly finish: () => Promise<void>
  /** Leaves the old file, if there is one. Does nothing after `finish`. */
  readonly discard: () => Promise<void>
}

/** Writes answers to a file, which replaces an existing one at the end. Throws `StorageError`. */
export async function openFileOutput(file: string): Promise<FileOutput> {
  const draft = draftOf(file)
  const attempt = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (cause) {
      await rm(draft, { force: true }).catch(() => undefined)
      throw new StorageError(`The answer cannot be written to ${file}.`, {
        code: 'storage.output',
        details: { reason: (cause as Error).message },
        hint: 'Check the free space and the permissions of the folder.',
        cause,
      })
    }
  }
  const handle: FileHandle = await attempt(() => open(draft, 'w'))
  let isOpen = true
  return {
    terminal: null,
    write: (text) => attempt(() => handle.writeFile(text)),
    finish: async () => {
      await attempt(async () => {
        await handle.sync()
        await handle.close()
        isOpen = false
        await replaceByDraft(file)
      })
    },
    discard: async () => {
      if (!isOpen) return
      isOpen = false
      await handle.close().catch(() => undefined)
      await rm(draft, { force: true })
    },
  }
}
